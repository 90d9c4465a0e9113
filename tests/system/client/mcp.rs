//! `noughts mcp`: a scripted assistant plays with messages of the Model Context Protocol on pipes.

use noughts_protocol::wire::{Presence, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Event, Offer, Outcome, PlayerKind, Seat};
use noughts_tests::faults::proxy::Proxy;
use noughts_tests::program::{TempDir, bind_lasting_port};
use noughts_tests::server::{ServerProcess, TestServer};
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::wait::wait_until;
use serde_json::{Value, json};

/// `noughts mcp` after the handshake, and the number of the next request.
struct Assistant {
    pipe: PipedProcess,
    next_id: u64,
}

impl Assistant {
    async fn start(server: &str) -> Assistant {
        let pipe = PipedProcess::spawn_noughts(&["mcp", server, "--name", "Ann"]);
        let mut assistant = Assistant { pipe, next_id: 1 };
        let client = json!({ "name": "test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let welcome = assistant.request("initialize", hello).await;
        assert_eq!(welcome["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(welcome["result"]["serverInfo"]["name"], "noughts");
        assistant.notify("notifications/initialized", json!({}));
        assistant
    }

    fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.pipe.write_line(&message.to_string());
    }

    /// Sends a request, and returns its id.
    fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.pipe.write_line(&message.to_string());
        id
    }

    fn start_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    fn response(&self, id: u64) -> Option<Value> {
        let out = self.pipe.stdout();
        let complete = out.rfind('\n').map_or("", |end| &out[..end]);
        let messages = complete.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        });
        messages.into_iter().find(|message| message["id"] == id)
    }

    async fn wait_for_response(&self, id: u64) -> Value {
        wait_until(("the response", id), async || self.response(id)).await
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.wait_for_response(id).await
    }

    /// Calls a tool, and returns its result.
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.start_call(tool, arguments);
        self.wait_for_response(id).await["result"].take()
    }

    /// Calls a tool that succeeds.
    async fn succeed(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result
    }

    /// Calls a tool that fails, and returns the code of the last rejection.
    async fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(!text(&result).is_empty(), "{result}");
        let rejected = events(&result, "rejected").pop();
        let code = rejected.and_then(|event| event["code"].as_str().map(str::to_owned));
        code.unwrap_or_else(|| panic!("{tool}: no code in {result}"))
    }
}

/// Calls `state` until its result fulfils a condition, and returns that result.
async fn wait_for_state(
    assistant: &mut Assistant,
    what: &str,
    is_met: impl Fn(&Value) -> bool,
) -> Value {
    wait_until(what, async || {
        let result = assistant
            .succeed("state", json!({ "wait_seconds": 1 }))
            .await;
        is_met(&result).then_some(result)
    })
    .await
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn game(result: &Value) -> &Value {
    &result["structuredContent"]["state"]["game"]
}

/// Returns the events of a result with a name.
fn events(result: &Value, name: &str) -> Vec<Value> {
    let all = result["structuredContent"]["events"].as_array();
    let named = all
        .into_iter()
        .flatten()
        .filter(|event| event["event"] == name);
    named.cloned().collect()
}

#[tokio::test]
async fn every_tool_has_a_schema_with_bounds() {
    let mut assistant = Assistant::start("127.0.0.1:1").await;
    let list = assistant.request("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().expect("tools");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        [
            "seek", "state", "move", "offer", "claim", "say", "review", "leave"
        ]
    );
    for tool in tools {
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| text.len() > 30)
        );
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        assert_eq!(
            schema["$defs"],
            Value::Null,
            "references confuse assistants: {tool}"
        );
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let bounds = ["enum", "maxLength", "maximum"];
            let is_bounded = bounds.iter().any(|bound| property.get(bound).is_some());
            assert!(is_bounded, "{name}: {property}");
            let is_explained =
                property.get("enum").is_some() || property.get("description").is_some();
            assert!(is_explained, "{name}: {property}");
        }
    }
}

#[tokio::test]
async fn an_assistant_plays_a_whole_game_against_a_bot_and_reviews_it() {
    let server = TestServer::start().await;
    let mut assistant = Assistant::start(&server.url()).await;
    let seek = json!({ "rules": "4x3:3+gravity", "opponent": "bot", "level": "easy", "seat": "O" });
    let mut result = assistant.succeed("seek", seek).await;
    assert_eq!(
        game(&result)["players"][1]["bot"],
        true,
        "an assistant is a bot"
    );
    let mut moves = 0;
    while game(&result)["result"].is_null() {
        if game(&result)["your_move"] == true {
            let cell = game(&result)["free"][0]
                .as_str()
                .expect("a free cell")
                .to_owned();
            assert!(text(&result).contains("It is your turn."), "{result}");
            result = assistant.succeed("move", json!({ "cell": cell })).await;
            moves += 1;
        } else {
            result = assistant.succeed("state", json!({})).await;
        }
    }
    assert!(moves >= 2, "{moves} moves");
    assert_eq!(events(&result, "over").len(), 1, "{result}");
    let drawing = result["structuredContent"]["drawing"]
        .as_array()
        .expect("rows");
    assert_eq!(drawing.len(), 4, "three rows and the letters: {drawing:?}");
    assert!(
        text(&result).contains("    a  b  c  d\n"),
        "{}",
        text(&result)
    );
    let review = assistant
        .succeed("review", json!({ "wait_seconds": 50 }))
        .await;
    let reviewed = events(&review, "review");
    let all = game(&result)["moves"].as_array().map(Vec::len);
    assert_eq!(reviewed[0]["moves"].as_array().map(Vec::len), all);
    let left = assistant.succeed("leave", json!({})).await;
    assert_eq!(events(&left, "end")[0]["exit"], 0);
    // The game stays known after the assistant has left it.
    let again = assistant.succeed("review", json!({})).await;
    assert_eq!(events(&again, "review"), reviewed);
    server.wait_until_idle().await;
}

#[tokio::test]
async fn an_assistant_plays_with_a_persons_client() {
    let server = TestServer::start().await;
    let mut person = PipedProcess::spawn_noughts(&[
        "play",
        &server.url(),
        "--ui",
        "line",
        "--name",
        "Bob",
        "--private",
        "--seat",
        "x",
    ]);
    let code = person.wait_for_stdout("Code: ").await;
    let code = code.lines().next().expect("a code").trim().to_owned();
    let mut assistant = Assistant::start(&server.url()).await;
    let seek = assistant.start_call("seek", json!({ "join": code }));
    person.wait_for_stdout("Ann").await;
    person.write_line("a1");
    let joined = assistant.wait_for_response(seek).await["result"].take();
    assert_eq!(game(&joined)["seat"], "O", "{joined}");
    assert_eq!(game(&joined)["board"], json!(["X..", "...", "..."]));
    assert_eq!(
        assistant.fail("move", json!({ "cell": "a1" })).await,
        "cell_taken"
    );
    assert_eq!(
        assistant.fail("move", json!({ "cell": "z9" })).await,
        "off_board"
    );
    assistant
        .succeed("say", json!({ "phrase": "good_luck" }))
        .await;
    let early = json!({ "cell": "c3", "wait_seconds": 0 });
    let moved = assistant.succeed("move", early).await;
    assert_eq!(game(&moved)["your_move"], false);
    assert_eq!(
        assistant.fail("move", json!({ "cell": "a3" })).await,
        "not_your_turn"
    );
    person.write_line("draw");
    let offered = assistant.succeed("state", json!({})).await;
    assert_eq!(events(&offered, "offered")[0]["offer"], "draw");
    assert_eq!(
        game(&offered)["offers"],
        json!([{ "seat": "X", "offer": "draw" }])
    );
    let decline = json!({ "offer": "draw", "action": "decline" });
    assistant.succeed("offer", decline.clone()).await;
    assert_eq!(assistant.fail("offer", decline).await, "no_offer");
    assert_eq!(
        assistant.fail("claim", json!({ "result": "win" })).await,
        "not_claimable"
    );
    assert_eq!(assistant.fail("review", json!({})).await, "game_on");
    assert_eq!(assistant.fail("seek", json!({})).await, "game_on");
    person.write_line("b1");
    assistant.succeed("state", json!({})).await;
    person.write_line("c1");
    let over = assistant.succeed("move", json!({ "cell": "a3" })).await;
    assert_eq!(events(&over, "over")[0]["winner"], "X", "{over}");
    assistant
        .succeed("offer", json!({ "offer": "rematch" }))
        .await;
    person.wait_for_stdout("offers a rematch").await;
    person.write_line("accept");
    let second = assistant.succeed("state", json!({})).await;
    assert_eq!(game(&second)["number"], 2);
    assert_eq!(game(&second)["seat"], "X", "the seats are swapped");
    person.write_line("resign");
    let is_over = |result: &Value| !game(result)["result"].is_null();
    let resigned = wait_for_state(&mut assistant, "the end", is_over).await;
    assert_eq!(
        game(&resigned)["result"]["reason"],
        "resigned",
        "{resigned}"
    );
    person.write_line("quit");
    assert_eq!(person.wait_for_exit().await, Some(0));
    assistant.succeed("leave", json!({})).await;
    assert_eq!(assistant.fail("leave", json!({})).await, "no_game");
    server.wait_until_idle().await;
}

#[tokio::test]
async fn invalid_calls_are_explained() {
    let server = TestServer::start().await;
    let mut assistant = Assistant::start(&server.url()).await;
    let unknown = assistant.start_call("fly", json!({}));
    let unknown = assistant.wait_for_response(unknown).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    for (tool, arguments, code) in [
        ("state", json!({}), "no_game"),
        ("move", json!({ "cell": "b2" }), "no_game"),
        ("leave", json!({}), "no_game"),
        ("review", json!({}), "no_finished_game"),
        ("move", json!({}), "bad_argument"),
        ("move", json!({ "cell": "b".repeat(100) }), "bad_argument"),
        ("move", json!({ "cell": "b2", "at": 1 }), "bad_argument"),
        ("state", json!({ "wait_seconds": 51 }), "bad_argument"),
        ("say", json!({ "phrase": "free text" }), "bad_argument"),
        ("seek", json!({ "rules": "9x9:99" }), "bad_argument"),
        ("seek", json!({ "clock": "soon" }), "bad_argument"),
        (
            "seek",
            json!({ "opponent": "bot", "level": "brutal" }),
            "bad_argument",
        ),
        ("seek", json!({ "level": "easy" }), "bad_argument"),
        ("seek", json!({ "join": "?" }), "bad_argument"),
        (
            "seek",
            json!({ "join": "00000000", "seat": "X" }),
            "bad_argument",
        ),
        ("seek", json!({ "join": "00000000" }), "unknown_room"),
    ] {
        assert_eq!(
            assistant.fail(tool, arguments.clone()).await,
            code,
            "{tool} {arguments}"
        );
    }
    // Input that is not a message changes nothing.
    assistant.pipe.write_bytes(b"\x00\xff{\n[1]\n");
    assistant.pipe.write_bytes(&[b'{'; 200_000]);
    assistant.pipe.write_bytes(b"\n");
    assert_eq!(
        assistant.request("ping", json!({})).await["result"],
        json!({})
    );
    let seeking = json!({ "wait_seconds": 0 });
    let state = assistant.succeed("seek", seeking.clone()).await;
    assert_eq!(state["structuredContent"]["state"]["game"], Value::Null);
    // The first results have the events of the search, a later one has none.
    let is_waiting = |result: &Value| text(result).contains("no opponent yet");
    wait_for_state(&mut assistant, "a search without events", is_waiting).await;
    assert_eq!(assistant.fail("seek", seeking).await, "seeking");
    assistant.succeed("leave", json!({})).await;
    let unreachable = assistant
        .call("seek", json!({ "join": "127.0.0.1:1#abcd-efgh-jkmn" }))
        .await;
    assert_eq!(unreachable["isError"], true, "{unreachable}");
    assert_eq!(events(&unreachable, "ended")[0]["code"], "cannot_connect");
    server.wait_until_idle().await;
}

#[tokio::test]
async fn a_cancelled_search_ends_and_a_cancelled_wait_loses_no_event() {
    let server = TestServer::start().await;
    let mut assistant = Assistant::start(&server.url()).await;
    let seek = assistant.start_call("seek", json!({ "wait_seconds": 50 }));
    wait_until("the seek", async || {
        (server.metric("noughts_seeks").await == 1).then_some(())
    })
    .await;
    assistant.notify("notifications/cancelled", json!({ "requestId": seek }));
    server.wait_until_idle().await;
    assert_eq!(assistant.fail("state", json!({})).await, "no_game");
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    assistant
        .succeed("seek", json!({ "wait_seconds": 0 }))
        .await;
    bob.next_snapshot().await;
    assert_eq!(
        bob.game().player(Seat::O).map(|ann| ann.kind),
        Some(PlayerKind::Bot)
    );
    let state = assistant.start_call("state", json!({ "wait_seconds": 50 }));
    assistant.notify("notifications/cancelled", json!({ "requestId": state }));
    assistant.request("ping", json!({})).await;
    bob.play(4).await.expect("X moves first");
    let result = assistant.succeed("state", json!({})).await;
    assert_eq!(events(&result, "moved")[0]["cell"], "b2", "{result}");
    assert_eq!(assistant.response(seek), None);
    assert_eq!(assistant.response(state), None);
}

#[tokio::test]
async fn leaving_resigns_and_a_rematch_can_be_accepted_before_it_is_offered() {
    let server = TestServer::start().await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::O)).await;
    let mut assistant = Assistant::start(&server.url()).await;
    let seek = assistant.start_call("seek", json!({}));
    bob.next_snapshot().await;
    assistant.wait_for_response(seek).await;
    let center = json!({ "cell": "b2", "wait_seconds": 0 });
    assistant.succeed("move", center).await;
    bob.send_command(RoomCommand::Resign).await.expect("a game");
    let is_over = |result: &Value| !game(result)["result"].is_null();
    wait_for_state(&mut assistant, "the end", is_over).await;
    let accept = json!({ "offer": "rematch", "action": "accept" });
    assistant.succeed("offer", accept).await;
    bob.offer(Offer::Rematch).await.expect("the game is over");
    let is_second = |result: &Value| game(result)["moves"] == json!([]);
    wait_for_state(&mut assistant, "the rematch", is_second).await;
    assistant.succeed("leave", json!({})).await;
    let resigned = |event: &Event| {
        let Event::Ended { outcome, .. } = event else {
            return false;
        };
        matches!(outcome, Outcome::Resigned { .. })
    };
    bob.wait_for_event("the resignation", resigned).await;
    assert_eq!(bob.game().number(), 2);
    // The second game ended without a move: the first is the last one that can be reviewed.
    let review = json!({ "wait_seconds": 50 });
    let review = assistant.succeed("review", review).await;
    let reports = events(&review, "review");
    let moves = reports[0]["moves"].as_array().map(Vec::len);
    assert_eq!(moves, Some(1), "{review}");
}

#[tokio::test]
async fn the_end_of_stdin_leaves_the_game() {
    let server = TestServer::start().await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut assistant = Assistant::start(&server.url()).await;
    let seek = assistant.start_call("seek", json!({ "wait_seconds": 50 }));
    bob.next_snapshot().await;
    assistant.pipe.close_stdin();
    bob.wait_for_presence(Seat::O, Presence::Left).await;
    assert_eq!(assistant.pipe.wait_for_exit().await, Some(0));
    assert!(
        assistant.response(seek).is_some(),
        "{}",
        assistant.pipe.stdout()
    );
    assert_eq!(assistant.pipe.stderr(), "");
}

#[tokio::test]
async fn sigterm_keeps_the_seat() {
    let server = TestServer::start().await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::O)).await;
    let mut assistant = Assistant::start(&server.url()).await;
    assistant.succeed("seek", json!({})).await;
    bob.next_snapshot().await;
    assistant.pipe.send_signal("TERM");
    bob.wait_for_presence(Seat::X, Presence::Disconnected).await;
    assert_eq!(assistant.pipe.wait_for_exit().await, Some(143));
}

#[tokio::test]
async fn the_game_of_an_absent_opponent_can_be_claimed() {
    let server = TestServer::start_with_limits(|limits| {
        limits.reconnect_grace = std::time::Duration::from_millis(300);
        limits.leave_grace = std::time::Duration::from_millis(300);
    })
    .await;
    let mut assistant = Assistant::start(&server.url()).await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::O)).await;
    assistant.succeed("seek", json!({})).await;
    bob.next_snapshot().await;
    // An absent player loses only on the own turn.
    assistant
        .succeed("move", json!({ "cell": "b2", "wait_seconds": 0 }))
        .await;
    bob.disconnect();
    wait_for_state(&mut assistant, "the absence", |result| {
        game(result)["can_claim"] == true
    })
    .await;
    let claimed = assistant.succeed("claim", json!({ "result": "win" })).await;
    assert_eq!(game(&claimed)["result"]["winner"], "X", "{claimed}");
    let mut eve = server.connect_client("Eve").await;
    eve.seek("3x3:3", None, Some(Seat::X)).await;
    // The finished game is left without a further call.
    assistant
        .succeed("seek", json!({ "wait_seconds": 0 }))
        .await;
    eve.next_snapshot().await;
    let leave = RequestBody::Session(SessionRequest::Leave);
    eve.request(leave).await.expect("in a room");
    wait_for_state(&mut assistant, "the end of the grace", |result| {
        game(result)["players"][0]["presence"] == "left" && game(result)["can_claim"] == true
    })
    .await;
    let claimed = assistant
        .succeed("claim", json!({ "result": "draw" }))
        .await;
    let result = &game(&claimed)["result"];
    assert!(result.is_object(), "{claimed}");
    assert_eq!(result["winner"], Value::Null, "{claimed}");
}

#[tokio::test]
async fn a_lost_connection_interrupts_a_wait_and_loses_no_move() {
    let server = TestServer::start().await;
    let proxy = Proxy::start(server.address()).await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut assistant = Assistant::start(&proxy.url()).await;
    let seek = assistant.start_call("seek", json!({ "wait_seconds": 50 }));
    bob.next_snapshot().await;
    proxy.set_accepting(false);
    proxy.reset_all();
    let offline = assistant.wait_for_response(seek).await["result"].take();
    assert_eq!(events(&offline, "offline").len(), 1, "{offline}");
    bob.play(4).await.expect("X moves first");
    let state = assistant.start_call("state", json!({ "wait_seconds": 50 }));
    proxy.set_accepting(true);
    let back = assistant.wait_for_response(state).await["result"].take();
    assert_eq!(game(&back)["moves"], json!(["b2"]), "{back}");
    assistant
        .succeed("move", json!({ "cell": "a1", "wait_seconds": 0 }))
        .await;
    bob.wait_for_event("the reply", |event| {
        matches!(event, Event::Moved { seat: Seat::O, .. })
    })
    .await;
    let offer = RequestBody::Command(RoomCommand::Offer { offer: Offer::Draw });
    bob.request(offer).await.expect("a game is in progress");
    let accept = json!({ "offer": "draw", "action": "accept" });
    assistant.succeed("state", json!({})).await;
    let agreed = assistant.succeed("offer", accept).await;
    assert_eq!(game(&agreed)["result"]["reason"], "agreed", "{agreed}");
}

#[tokio::test]
async fn a_game_survives_a_restart_of_the_server() {
    let data = TempDir::default();
    let data = data.path().to_str().expect("a path in UTF-8");
    let address = {
        let listener = bind_lasting_port();
        listener.local_addr().expect("bound").to_string()
    };
    let flags = ["--listen", &address, "--data", data];
    let first = ServerProcess::start_with(&flags);
    let mut assistant = Assistant::start(&first.url).await;
    let seek = json!({ "rules": "4x4:4", "opponent": "bot", "level": "easy", "seat": "X" });
    assistant.succeed("seek", seek).await;
    assistant.succeed("move", json!({ "cell": "a1" })).await;
    first.kill();
    let _second = ServerProcess::start_with(&flags);
    wait_for_state(&mut assistant, "the loss", |result| {
        !events(result, "offline").is_empty()
    })
    .await;
    let result = wait_for_state(&mut assistant, "the return", |result| {
        result["structuredContent"]["state"]["connection"]["state"] == "online"
            && game(result)["your_move"] == true
    })
    .await;
    assert_eq!(game(&result)["moves"][0], "a1", "{result}");
    let cell = game(&result)["free"][0].clone();
    let moved = assistant.succeed("move", json!({ "cell": cell })).await;
    assert!(
        game(&moved)["ply"].as_u64().is_some_and(|ply| ply >= 3),
        "{moved}"
    );
}
