// Noughts wire protocol, version 1. Written by a test from schemas.json: see README.md beside this folder.

/** A player was absent too long. */
export interface AbandonedOutcome {
  reason: "abandoned";
  winner?: Seat;
}

/** Ends a game before both players have moved. */
export interface AbortRequest {
  id: RequestId;
  type: "abort";
}

/** A player ended the game before both had moved. It does not count. */
export interface AbortedOutcome {
  reason: "aborted";
}

/** Accepts an offer. */
export interface AcceptRequest {
  id: RequestId;
  offer: Offer;
  type: "accept";
}

/** Plays against the client of an open seek. */
export interface AcceptSeekRequest {
  id: RequestId;
  seek: SeekId;
  type: "accept_seek";
}

/** The players agreed to a draw. */
export interface AgreedOutcome {
  reason: "agreed";
}

/** The operator says something to all clients. */
export interface AnnouncementMessage {
  text: string;
  type: "announcement";
}

/** Ends the seek. */
export interface CancelRequest {
  id: RequestId;
  type: "cancel";
}

/** Cell in reading order, from 0. */
export type Cell = number;

/** Claims the game of an absent player. */
export interface ClaimRequest {
  id: RequestId;
  result: ClaimResult;
  type: "claim";
}

/** Result that a player claims. */
export type ClaimResult = "win" | "draw";

/** Base and increment of a clock. */
export type Clock = string;

/** Reason why a room closed. */
export type CloseReason = "deserted" | "idle" | "operator";

/** The room has ended. */
export interface ClosedEvent {
  reason: CloseReason;
  type: "closed";
}

/** Number of things. */
export type Count = number;

/** Opens a room. */
export interface CreateRequest {
  clock?: Clock | null;
  id: RequestId;
  public?: boolean | null;
  rules: RulesInput;
  seat?: Seat | null;
  type: "create";
}

/** Declines or withdraws an offer. */
export interface DeclineRequest {
  id: RequestId;
  offer: Offer;
  type: "decline";
}

/** An offer is void. */
export interface DeclinedEvent {
  offer: Offer;
  seat: Seat;
  type: "declined";
}

/** Confirms a request. */
export interface DoneMessage {
  re: RequestId;
  seq?: Seq;
  type: "done";
}

/** The game is over. */
export interface EndedEvent {
  left?: TimeLeft;
  outcome: Outcome;
  type: "ended";
}

/** Evaluation of a program. */
export type Evaluation = string;

/** Fact of a room. */
export type Event = OpenedEvent | SeatedEvent | StartedEvent | MovedEvent | OfferedEvent | DeclinedEvent | TakenBackEvent | EndedEvent | ClosedEvent;

/** Event with its number and time. re needs the feature replies. */
export interface EventRecord {
  at: Timestamp;
  by?: RequestRef;
  event: Event;
  re?: RequestId;
  seq: Seq;
}

/** Events of the room, in order. */
export interface EventsMessage {
  events: Array<EventRecord>;
  re?: RequestId;
  room: RoomId;
  type: "events";
}

/** Name of a feature. Unknown names are ignored. */
export type FeatureName = string;

/** A finished game. */
export interface FinishedEntry {
  clock?: Clock;
  ended: Timestamp;
  game: GameId;
  moves: Count;
  number: Count;
  players: Array<Player>;
  result: Verdict;
  room: RoomId;
  rules: Rules;
}

/** A player ran out of time. */
export interface FlagOutcome {
  reason: "flag";
  winner: Seat;
}

/** Points out that the time of the opponent is over. */
export interface FlagRequest {
  id: RequestId;
  type: "flag";
}

/** The board is full. */
export interface FullOutcome {
  reason: "full";
}

/** Numbers of games. */
export interface GameCounts {
  draws: Count;
  losses: Count;
  wins: Count;
}

/** Number of a finished game that the server keeps. */
export type GameId = number;

/** The record of a finished game. */
export interface GameMessage {
  game: GameId;
  re: RequestId;
  record: string;
  type: "game";
}

/** Requests the record of a finished game. */
export interface GameRequest {
  game: GameId;
  id: RequestId;
  type: "game";
}

/** Finished games, newest first. */
export interface GamesMessage {
  before?: GameId;
  games: Array<FinishedEntry>;
  re: RequestId;
  type: "games";
}

/** Lists finished games. */
export interface GamesRequest {
  before?: GameId | null;
  id: RequestId;
  limit?: number | null;
  of?: Identity | null;
  rules?: RulesInput | null;
  type: "games";
  with?: Identity | null;
}

/** Seat of the party. */
export interface Grant {
  room: RoomId;
  token: Token;
}

/** Introduces the client. */
export interface HelloRequest {
  client?: string | null;
  id: RequestId;
  identity?: IdentitySecret | null;
  kind: PlayerKind;
  name: PlayerName;
  party?: Party | null;
  type: "hello";
  versions: Versions;
  wants?: Array<FeatureName> | null;
}

/** Public id of a player who is recognised. */
export type Identity = string;

/** Secret that shows a server who the player is. */
export type IdentitySecret = string;

/** Takes the free seat of a room. */
export interface JoinRequest {
  id: RequestId;
  room: RoomRef;
  type: "join";
}

/** Round-trip times of X and O. */
export interface LagNotice {
  ms: [Milliseconds | null, Milliseconds | null];
  type: "lag";
}

/** Leaves the room. */
export interface LeaveRequest {
  id: RequestId;
  type: "leave";
}

/** Limits of the server. */
export interface Limits {
  burst: Count;
  grace_ms: Count;
  left_grace_ms: Count;
  message_bytes: Count;
  per_second: Count;
  ping_ms: Count;
  resume_events: Count;
  send_queue: Count;
}

/** Run of stones that ended a game. */
export interface Line {
  cells: Array<Cell>;
  direction: Array<-1 | 0 | 1>;
  first: Cell;
  name: LineName;
}

/** Name of the direction of a line. */
export type LineName = "row" | "column" | "pillar" | "main_diagonal" | "other_diagonal" | "space_diagonal" | "direction";

/** A line was completed. */
export interface LineOutcome {
  line: Line;
  reason: "line";
  winner: Seat;
}

/** Lists public rooms and open seeks. */
export interface ListRequest {
  id: RequestId;
  type: "list";
}

/** Changes of the lobby. */
export interface LobbyChangedMessage {
  at: Timestamp;
  counts?: LobbyCounts;
  rooms?: Array<LobbyRoomEntry>;
  rooms_gone?: Array<RoomId>;
  seeks?: Array<LobbySeekEntry>;
  seeks_gone?: Array<SeekId>;
  type: "lobby_changed";
}

/** Numbers of the whole server. */
export interface LobbyCounts {
  bots: Count;
  games: Count;
  persons: Count;
  waiting: Count;
}

/** The whole lobby. */
export interface LobbyMessage {
  at: Timestamp;
  counts: LobbyCounts;
  re?: RequestId;
  rooms: Array<LobbyRoomEntry>;
  seeks: Array<LobbySeekEntry>;
  type: "lobby";
}

/** Subscribes to the lobby, or ends that. */
export interface LobbyRequest {
  end?: boolean | null;
  id: RequestId;
  type: "lobby";
}

/** Public room in the lobby. */
export interface LobbyRoomEntry {
  clock?: Clock;
  moves: Count;
  open_seat?: Seat;
  phase: Phase;
  players: Seats;
  room: RoomId;
  rules: Rules;
  spectators: Count;
}

/** Open seek in the lobby. */
export interface LobbySeekEntry {
  clock?: Clock;
  opponents?: PlayerKind;
  player: Player;
  rules: Rules;
  seat?: Seat;
  seek: SeekId;
  since: Timestamp;
}

/** Games won by the present players of X and O, and drawn. */
export interface MatchScore {
  draws: Count;
  wins: [Count, Count];
}

/** Message of the server. */
export type Message = WelcomeMessage | DoneMessage | RejectMessage | SnapshotMessage | EventsMessage | NoticeMessage | RoomsMessage | LobbyMessage | LobbyChangedMessage | AnnouncementMessage | GamesMessage | GameMessage | ProfileMessage | RestartingMessage;

/** Duration in milliseconds. */
export type Milliseconds = number;

/** Places a stone. */
export interface MoveRequest {
  cell: Cell;
  id: RequestId;
  seq: Seq;
  type: "move";
}

/** A stone was placed. ply needs the feature details. */
export interface MovedEvent {
  cell: Cell;
  left?: TimeLeft;
  ply?: Count;
  seat: Seat;
  type: "moved";
}

/** Transient information. */
export type Notice = PresenceNotice | LagNotice | SpectatorsNotice | RemarkNotice | PhraseNotice;

/** Transient information of the room. */
export interface NoticeMessage {
  notice: Notice;
  room: RoomId;
  type: "notice";
}

/** Proposal of a player. */
export type Offer = "draw" | "takeback" | "rematch";

/** Makes an offer. */
export interface OfferRequest {
  id: RequestId;
  offer: Offer;
  type: "offer";
}

/** A player made an offer. */
export interface OfferedEvent {
  offer: Offer;
  seat: Seat;
  type: "offered";
}

/** The room was opened. */
export interface OpenedEvent {
  clock?: Clock;
  free_first_moves?: boolean;
  public: boolean;
  rules: Rules;
  type: "opened";
}

/** How a game ended. */
export type Outcome = LineOutcome | FullOutcome | ResignedOutcome | FlagOutcome | AgreedOutcome | AbandonedOutcome | AbortedOutcome;

/** Secret that identifies a client on all its connections. */
export type Party = string;

/** Phase of a room. */
export type Phase = "waiting" | "playing" | "over" | "closed";

/** Preset phrase. */
export type Phrase = "hello" | "good_luck" | "have_fun" | "nice_move" | "oops" | "thinking" | "sorry" | "well_played" | "good_game" | "thanks" | "one_more" | "bye";

/** Phrase of a player. */
export interface PhraseNotice {
  phrase: Phrase;
  seat: Seat;
  type: "phrase";
}

/** Tests the connection. */
export interface PingRequest {
  id: RequestId;
  type: "ping";
}

/** Player of a seat. */
export interface Player {
  identity?: Identity;
  kind: PlayerKind;
  name: PlayerName;
}

/** Person or program. */
export type PlayerKind = "person" | "bot";

/** Name of a player: 1 to 24 columns. */
export type PlayerName = string;

/** Players of X and of O. */
export type Players = [Player, Player];

/** Presence of a player. */
export type Presence = "connected" | "disconnected" | "left";

/** Presence of a player. */
export interface PresenceNotice {
  claim_in_ms?: Milliseconds;
  presence: Presence;
  seat: Seat;
  type: "presence";
}

/** The profile of a player: name, numbers of games, and the latest games. */
export interface ProfileMessage {
  against_you?: GameCounts;
  first_seen: Timestamp;
  games: Array<FinishedEntry>;
  player: Player;
  re: RequestId;
  rules: Array<RulesCounts>;
  type: "profile";
}

/** Requests the profile of a player. */
export interface ProfileRequest {
  id: RequestId;
  of?: Identity | null;
  type: "profile";
}

/** Reason of a rejection. */
export type RejectCode = "bad_message" | "unknown_type" | "bad_field" | "hello_first" | "hello_twice" | "version" | "rate_limited" | "busy" | "unavailable" | "draining" | "server_full" | "already_seeking" | "not_seeking" | "already_in_room" | "not_in_room" | "unknown_room" | "not_kept" | "unknown_game" | "unknown_player" | "room_full" | "not_a_player" | "not_started" | "game_over" | "game_on" | "stale" | "not_your_turn" | "off_board" | "cell_taken" | "column_full" | "id_reused" | "already_offered" | "no_offer" | "nothing_to_take_back" | "opponent_left" | "not_claimable" | "flag_not_fallen";

/** Rejects a request. */
export interface RejectMessage {
  code: RejectCode;
  detail?: string;
  field?: string;
  re?: RequestId;
  seq?: Seq;
  type: "reject";
  versions?: Versions;
  wait_ms?: Milliseconds;
}

/** Evaluation of a player's program. */
export interface RemarkNotice {
  evaluation: Evaluation;
  pv: Array<Cell>;
  seat: Seat;
  seq: Seq;
  type: "remark";
}

/** Sends an evaluation to spectators. */
export interface RemarkRequest {
  evaluation: Evaluation;
  id: RequestId;
  pv: Array<Cell>;
  seq: Seq;
  type: "remark";
}

/** Message of a client. */
export type Request = HelloRequest | SeekRequest | CancelRequest | CreateRequest | JoinRequest | WatchRequest | ResumeRequest | SyncRequest | LeaveRequest | ListRequest | PingRequest | LobbyRequest | AcceptSeekRequest | SayRequest | SubstituteRequest | GamesRequest | GameRequest | ProfileRequest | RemarkRequest | MoveRequest | ResignRequest | OfferRequest | AcceptRequest | DeclineRequest | ClaimRequest | FlagRequest | AbortRequest;

/** Number of a request, chosen by the client. */
export type RequestId = number;

/** Request that an event answers: the seat before the event, and the id. */
export interface RequestRef {
  id: RequestId;
  seat: Seat;
}

/** Resigns the game. */
export interface ResignRequest {
  id: RequestId;
  type: "resign";
}

/** A player resigned. */
export interface ResignedOutcome {
  reason: "resigned";
  winner: Seat;
}

/** The server is about to stop. */
export interface RestartingMessage {
  retry_after_ms: Milliseconds;
  type: "restarting";
}

/** Reclaims a seat. */
export interface ResumeRequest {
  id: RequestId;
  room: RoomId;
  seq?: Seq | null;
  token?: Token | null;
  type: "resume";
}

/** Role of the receiver; empty for a spectator. */
export interface Role {
  code?: RoomCode;
  seat?: Seat;
  token?: Token;
}

/** Secret code of a private room. */
export type RoomCode = string;

/** Public room in a list. */
export interface RoomEntry {
  clock?: Clock;
  moves: Count;
  phase: Phase;
  players: Seats;
  room: RoomId;
  rules: Rules;
  spectators: Count;
}

/** Public id of a room. */
export type RoomId = string;

/** Id of a public room or code of a private one. A server also accepts upper case, and dashes anywhere. */
export type RoomRef = RoomId | RoomCode;

/** Public rooms and open seeks. */
export interface RoomsMessage {
  re: RequestId;
  rooms: Array<RoomEntry>;
  seeks: Array<SeekEntry>;
  type: "rooms";
}

/** Rules as the server writes them. */
export type Rules = string;

/** Numbers of games by one set of rules. */
export interface RulesCounts {
  draws: Count;
  losses: Count;
  rules: Rules;
  wins: Count;
}

/** Rules in a request: the text of the rules or a well-known name. */
export type RulesInput = string;

/** Says a phrase. */
export interface SayRequest {
  id: RequestId;
  phrase: Phrase;
  type: "say";
}

/** Side of a game. X moves first. */
export type Seat = "X" | "O";

/** A player took a seat; during a game, that of an absent player. */
export interface SeatedEvent {
  player: Player;
  seat: Seat;
  type: "seated";
}

/** Players of X and of O; null for a free seat. */
export type Seats = [Player | null, Player | null];

/** Open seek in a list. */
export interface SeekEntry {
  clock?: Clock;
  opponents?: PlayerKind;
  player: Player;
  rules: Rules;
  seat?: Seat;
}

/** Number of an open seek. */
export type SeekId = number;

/** Seeks an opponent. */
export interface SeekRequest {
  clock?: Clock | null;
  id: RequestId;
  opponents?: PlayerKind | null;
  rules: RulesInput;
  seat?: Seat | null;
  type: "seek";
}

/** Number of an event in its room, from 1. */
export type Seq = number;

/** Whole view of a room. */
export interface SnapshotMessage {
  re?: RequestId;
  role: Role;
  room: RoomId;
  state: State;
  type: "snapshot";
}

/** Number of spectators. */
export interface SpectatorsNotice {
  count: Count;
  type: "spectators";
}

/** A game begins. players and own_seat need the feature details. */
export interface StartedEvent {
  game: Count;
  own_seat?: Seat;
  players?: Players;
  type: "started";
}

/** Public state of a room. */
export interface State {
  at: Timestamp;
  clock?: Clock;
  close_reason?: CloseReason;
  game: Count;
  left?: TimeLeft;
  moves: Array<Cell>;
  offers: [Seat | null, Seat | null, Seat | null];
  outcome?: Outcome;
  phase: Phase;
  players: Seats;
  public: boolean;
  rules: Rules;
  score: MatchScore;
  seq: Seq;
  shown?: TimeLeft;
  turn?: Seat;
}

/** Lets a bot take the seat of the absent opponent, or withdraws that. */
export interface SubstituteRequest {
  end?: boolean | null;
  id: RequestId;
  type: "substitute";
}

/** Requests missing events. */
export interface SyncRequest {
  id: RequestId;
  seq: Seq;
  type: "sync";
}

/** Moves were taken back. */
export interface TakenBackEvent {
  left?: TimeLeft;
  plies: 1 | 2;
  type: "taken_back";
}

/** Milliseconds left to X and to O. */
export type TimeLeft = [Milliseconds, Milliseconds];

/** Time of the server in milliseconds since 1970-01-01 UTC. */
export type Timestamp = number;

/** Secret that grants a seat. */
export type Token = string;

/** How a game ended, without the cells. */
export type Verdict = "X line" | "O line" | "draw full" | "X resignation" | "O resignation" | "X time" | "O time" | "draw agreement" | "X abandonment" | "O abandonment" | "draw abandonment" | "aborted";

/** Oldest and newest version of the protocol. */
export type Versions = [number, number];

/** Enters a room as a spectator. */
export interface WatchRequest {
  id: RequestId;
  remarks?: boolean | null;
  room: RoomRef;
  type: "watch";
}

/** Accepts the hello. */
export interface WelcomeMessage {
  address?: string;
  grant?: Grant;
  has?: Array<FeatureName>;
  identity?: Identity;
  limits: Limits;
  name: PlayerName;
  own_rooms?: Array<RoomId>;
  re: RequestId;
  server: string;
  type: "welcome";
  version: number;
}
