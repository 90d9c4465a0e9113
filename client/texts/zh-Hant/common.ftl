language-name = 繁體中文
with-clock = 計時 { $control }
no-clock = 不計時
whole-seconds = { $seconds } 秒
you-subject = 你 ({ $seat })
you-object = 你 ({ $seat })
default-name = 玩家
name-adjectives = 綠 藍 紅 金 銀 白 紫 青
name-animals = 狐狸 貓頭鷹 水獺 野兔 山貓 小熊 松鼠 海豚
drawn-name = { $adjective }{ $animal }
default-guest-name = 客人
local-bot = { $level }機器人

level =
    .novice = 入門
    .easy = 簡單
    .casual = 初級
    .medium = 中等
    .skilled = 進階
    .strong = 較強
    .hard = 困難
    .perfect = 完美
bot-player = { $name }（機器人）

line =
    .row = 橫列
    .column = 直行
    .pillar = 穿層直線
    .main_diagonal = 主對角線
    .other_diagonal = 副對角線
    .space_diagonal = 空間對角線
    .direction = 對角線
score-you = 你
score-of-series = { $x } { $x_wins } - { $o_wins } { $o }，平局 { $draws }
list-separator = ，
lag-ms = { $ms } 毫秒
lag-unknown = 未測
spectators = { $count ->
        [0] 無人觀戰
       *[other] { $count } 人觀戰
    }
-period = 。
