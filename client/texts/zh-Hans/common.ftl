language-name = 简体中文
with-clock = 计时 { $control }
no-clock = 不计时
whole-seconds = { $seconds } 秒
you-subject = 你 ({ $seat })
you-object = 你 ({ $seat })
default-name = 玩家
name-adjectives = 绿 蓝 红 金 银 白 紫 青
name-animals = 狐狸 猫头鹰 水獭 野兔 山猫 小熊 松鼠 海豚
drawn-name = { $adjective }{ $animal }
default-guest-name = 客人
local-bot = { $level }机器人

level =
    .novice = 入门
    .easy = 简单
    .casual = 初级
    .medium = 中等
    .skilled = 进阶
    .strong = 较强
    .hard = 困难
    .perfect = 完美
bot-player = { $name }（机器人）

line =
    .row = 横行
    .column = 竖列
    .pillar = 穿层竖线
    .main_diagonal = 主对角线
    .other_diagonal = 副对角线
    .space_diagonal = 空间对角线
    .direction = 对角线
score-you = 你
score-of-series = { $x } { $x_wins } - { $o_wins } { $o }，平局 { $draws }
list-separator = ，
lag-ms = { $ms } 毫秒
lag-unknown = 未测
spectators = { $count ->
        [0] 无人观战
       *[other] { $count } 人观战
    }
-period = 。
