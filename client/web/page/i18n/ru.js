// Written by a test from the tables in `client/src/i18n`. Change them there.
export default {
  page_title: "Noughts", page_title_turn: "● Ваш ход – Noughts", skip: "К содержанию", play: "Игра", lobby: "Лобби", settings: "Настройки",
  navigation: "Навигация", online: "В сети", offline: "Нет связи", connecting: "Соединение…", ping: "{n} мс", choose_game: "Выберите игру",
  continue: "Продолжить", continue_game: "Незаконченная игра", continue_room: "Ожидание соперника", continue_over: "Прошлая партия",
  continue_against: "{game}, соперник: {name}", clock: "Часы", no_clock: "Без часов", without_clock: "без часов", find_opponent: "Найти соперника",
  invite_friend: "Пригласить друга", play_bot: "Играть с ботом", players_waiting: "Ждут соперника",
  nobody: "Никто не ждёт. Пригласите друга или сыграйте с ботом.", join: "Играть", watch: "Смотреть", bot_starting: "Бот запускается…",
  bot_failed: "Бот не смог запуститься.", more_games: "Другие игры", or_your_own: "или своя доска", four_dimensions: "четыре измерения",
  game_tictactoe: "Крестики-нолики", game_misere: "Крестики-нолики в поддавки", game_connect4: "Четыре в ряд", game_gomoku: "Гомоку",
  "game_gomoku-exact": "Гомоку (ровно пять)", game_gomoku19: "Гомоку 19", game_tictactoe3d: "Объёмные крестики-нолики", game_qubic: "Qubic",
  game_score4: "Объёмные четыре в ряд", game_tesseract: "3⁴", line_wins: "{n} в ряд выигрывают", line_loses: "{n} в ряд проигрывают",
  marks_fall: "знаки падают", exact: "Более длинный ряд не считается", reject_other: "Сервер отклонил запрос.",
  name_rejected: "Это имя использовать нельзя. Выберите другое.", cancel: "Отмена", bot: "бот", leave_game: "Выйти из игры",
  connection_lost_short: "Связь прервана.", reconnected: "Связь восстановлена.", room_closed: "Комната закрыта.", back: "Назад",
  seek_gone: "Этот игрок больше не ждёт.", live_now: "Идут сейчас", no_games: "Сейчас никто не играет.", move_n: "ход {n}",
  reject_game_over: "Партия окончена.", spectators: { one: "{n} зритель", few: "{n} зрителя", many: "{n} зрителей", other: "{n} зрителя" },
};
