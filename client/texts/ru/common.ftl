language-name = Русский
with-clock = часы { $control }
no-clock = без часов
whole-seconds = { $seconds } с
you-subject = Вы ({ $seat })
you-object = вы ({ $seat })
default-name = Игрок
name-adjectives = Зелёный Синий Рыжий Тихий Быстрый Смелый Мудрый Весёлый
name-animals = Лис Кот Ёж Бобр Енот Барсук Волк Филин
drawn-name = { $adjective } { $animal }
default-guest-name = Гость
local-bot = Бот ({ $level })

level =
    .novice = начальный
    .easy = лёгкий
    .casual = умеренный
    .medium = средний
    .skilled = хороший
    .strong = уверенный
    .hard = сильный
    .perfect = идеальный
bot-player = { $name } (бот)

line =
    .row = строка
    .column = столбец
    .pillar = вертикаль сквозь слои
    .main_diagonal = главная диагональ
    .other_diagonal = побочная диагональ
    .space_diagonal = пространственная диагональ
    .direction = диагональ
score-you = вы
score-of-series = { $x } { $x_wins } - { $o_wins } { $o }, ничьих { $draws }
list-separator = ,{" "}
lag-ms = { $ms } мс
lag-unknown = не измерен
spectators = { $count ->
        [0] зрителей нет
        [one] { $count } зритель
        [few] { $count } зрителя
       *[many] { $count } зрителей
    }
-period = .
