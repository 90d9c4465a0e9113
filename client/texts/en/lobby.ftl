# Describes the program in the header of the home screen.
tagline = Tic-tac-toe, Gomoku, Connect Four and more

# Descriptions of the entries of the home screen.
menu-hint =
    .quick = find an opponent
    .private = invite a friend
    .host = start a server for friends
    .join = enter a code
    .watch = join or watch
    .local = on this computer
    .bot = offline
    .puzzle = a new position every day
    .own_games = your finished games
    .settings = name, language, colours
menu-again = Play again
menu-continue = Continue
menu-join = Join
menu-watch = Rooms
menu-quit = Quit

# Descriptions of the entries while the server answers.
menu-count-quick = find an opponent, waiting: { $waiting }
menu-waiting = { $name } is waiting: { $game }
menu-count-watch = join or watch, games: { $games }

# Description of an entry while no server answers.
needs-server = needs a server

# Labels of the server and of the player's name.
home-server = Server
home-you = You

# State of a server that has not answered.
server-asked = connecting ...

# State of a server that answers.
server-online = online

# State of a server that does not answer, with the time until the next attempt.
server-retry = offline, next try in { $left }

# Says what helps while the server does not answer.
server-help = { $key } try now, or another server in Settings

# Numbers of connections and games on the server.
lobby-numbers = people: { $people }  bots: { $bots }  games: { $games }

# Headings of the list of seeks: player, game, clock, own mark, waiting time.
column-player = Player
column-game = Game
column-clock = Clock
column-you-play = You play
column-waiting = Waiting

# Headings of the list of rooms: players, game, clock, number of spectators, status.
column-players = Players
column-spectators = Spect.
column-status = Status

# A mark that the server chooses at random.
random-seat = random

# A free seat in the list of rooms.
free-seat = (free)

# Heading of the list of seeks on the full screen.
seeks-title = LOOKING FOR AN OPPONENT

# Heading of the list of rooms on the full screen.
rooms-title = ROOMS

# Title of the lobby.
lobby-title = Rooms on { $host }

# Shown instead of the lists while the lobby is empty.
empty-lobby = Nobody is here yet.

# Hint after a long wait.
nobody-waits = No one is here. Play a bot meanwhile?

# Hint after a long wait, if others look for the same rules.
similar-seeks = Others look for this game with another clock or seat.
tv-title = TV

# Headline of the TV while no game is running.
no-running-game = NO GAME IS RUNNING. The next one appears by itself.

# Title of the waiting screen.
waiting-title-seek = Find an opponent
waiting-title-connect = Connecting
seeking-headline = LOOKING FOR AN OPPONENT

# Tells a waiting player that there is nothing more to do.
game-starts-by-itself = The game starts as soon as somebody joins.

# Actions available during the wait.
meanwhile = Meanwhile
games-watched = { $count ->
        [one] 1 game
       *[other] { $count } games
    }

# Title of the screen with several games.
watching-games = Watching { $games }

# Counts the games that do not fit on the screen.
games-hidden = { $count ->
        [one] { $count } more game does not fit.
       *[other] { $count } more games do not fit.
    }

# Says how much room a board needs that is larger than its tile.
board-needs = The board needs { $columns }x{ $rows } here.

# Names the key that shows a game alone.
key-shows-alone = { $key } shows it alone.

# Help in line mode for several games.
several-games-help = { $games }. Type a number to select a game and show its board; q to leave.

# What a player can do, after the key that does it.
offer-bot = play the computer
offer-host = invite a friend here
offer-server = choose another server
offer-retry = try now
offer-invitation = invite a friend
offer-search = look for an opponent

# Titles of the column beside the menu.
no-server = No server at { $server }
nobody-plays = Nobody is playing now

# Heading above the seeks of other players on the waiting screen, and the action of the key that is shown before it.
others-waiting = Others who are waiting
accepts-seek = plays against the selected player

# Numbers of other players who wait, and of players in games.
who-else-numbers = { $waiting } waiting, { $playing } playing
