# States why a connection was lost.
timed-out = timed out
no-data = no data from the server
closed-with-code = closed by the server ({ $code })
closed-by-server = closed by the server
http-response = the server responded HTTP { $status }
unexpected-message = unexpected message from the server

close-code =
    .bye = closed
    .protocol_error = the server did not understand this program
    .text_only = { close-code.protocol_error }
    .not_utf8 = { close-code.protocol_error }
    .garbage = { close-code.protocol_error }
    .too_many_messages = too many messages
    .too_big = message too long
    .internal_error = server error
    .restarting = the server is restarting
    .hello_timeout = client timed out
    .origin_not_allowed = the server refused the connection
    .too_many_connections = { close-code.origin_not_allowed }
    .server_full = { close-code.origin_not_allowed }
    .server_closed = the host has closed the server
    .kicked = the operator has ended this connection
    .banned = the operator has banned you from this server
    .replaced = you opened this game somewhere else
    .slow_consumer = connection too slow
    .unresponsive = no reply to pings
    .version = { reject.version }

# States why a connection was closed for good.
connection-ended = Connection closed.
no-local-server = No server at { $host }:{ $port }. Start one: noughts-server. Or play now: noughts local
cannot-connect = Cannot connect to { $server }: { $why }.
rejected-by-server = Rejected by { $server }: { $why }.
rejected-with-http = Rejected by { $server }: HTTP { $status }.
not-noughts = { $server } is not a Noughts server.
opened-elsewhere = You opened this game somewhere else.
disconnected-because = Disconnected: { $why }.
connection-lost-because = Connection lost: { $why }.

# States on the home screen that no server answers, with the keys of what is possible.
no-server-at-home = No server at { $server }.  { $bot } play the computer   { $settings } another server

# Label of a working connection. All labels start with a sign, so that colour is not the only cue.
connection-online = + online

# Label of a lost connection.
connection-offline-label = ! offline

# Label of a lost connection with the time of the next attempt.
connection-retrying = ! offline, retrying ({ $attempt }) ...
connection-retry = ! offline, retrying in { $wait } ({ $attempt }{ NUMBER($attempt, type: "ordinal") ->
        [one] st
        [two] nd
        [few] rd
       *[other] th
    } try)

# Label of a closed connection.
connection-closed = ! disconnected

# Label of a game without a connection.
local-game-label = offline game

# Names the failed operation, to be followed by the cause.
cannot-open-log = cannot open the log
cannot-load-ca = cannot load the certificate given by --ca
cannot-install-signals = cannot install signal handlers
cannot-list-saved-games = cannot read resumable games
cannot-acquire-terminal = cannot use the terminal

# Printed before the message of a panic.
internal-error = noughts: internal error:

# Errors of the operating system.
io-error =
    .NotFound = no such file
    .PermissionDenied = permission denied
    .AlreadyExists = file exists
    .IsADirectory = is a directory
    .StorageFull = disk full
    .QuotaExceeded = { io-error.StorageFull }
    .ReadOnlyFilesystem = read-only
    .ConnectionRefused = connection refused
    .ConnectionReset = connection reset
    .ConnectionAborted = { io-error.ConnectionReset }
    .BrokenPipe = { io-error.ConnectionReset }
    .HostUnreachable = network unreachable
    .NetworkUnreachable = { io-error.HostUnreachable }
    .NetworkDown = { io-error.HostUnreachable }
    .AddrNotAvailable = unknown host
    .TimedOut = timed out
    .UnexpectedEof = unexpected end of file
