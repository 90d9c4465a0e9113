// The installable page: manifest, service worker, and scripts that the policy allows.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { IS_ONLINE, PHONE, moves, suite } from "./fixture.mjs";
import { waitUntil } from "./wait.mjs";

suite(
  "the page is installable and survives a missing file",
  { sizes: [PHONE, PHONE] },
  (fixture) => {
    const { server } = fixture;
    const [ann, bob] = fixture.pages;

    test("a browser offers to install the page", async () => {
      await ann.go(server.page);
      await ann.until("navigator.serviceWorker.controller");
      const { errors } = await ann.devtools("Page.getAppManifest", {});
      assert.deepEqual(errors, []);
      const { installabilityErrors } = await ann.devtools(
        "Page.getInstallabilityErrors",
        {},
      );
      assert.deepEqual(
        installabilityErrors
          .map(({ errorId }) => errorId)
          .filter((id) => id !== "in-incognito"),
        [],
      );
    });

    test("the page comes from the cache while the server is down, and goes on after it", async () => {
      await fixture.pair(ann, bob);
      await fixture.play(ann, bob, 4, 1);
      // Reloads the page, because the worker keeps only files that are loaded after its start.
      await ann.reload();
      await ann.until(moves(1));
      await server.kill();
      await ann.reload();
      await ann.until(
        "document.querySelector('.loading') || document.querySelector('.board')",
      );
      await ann.until(
        "document.querySelector('.connection').innerText === 'Offline'",
      );
      await server.start();
      await fixture.both(`${IS_ONLINE} && ${moves(1)}`);
      await fixture.play(ann, bob, 0, 2);
    });

    test("the cache has the document and files of one version", async () => {
      const paths = await ann.run(
        "return caches.open('noughts-page').then((cache) => cache.keys()).then((requests) => requests.map((request) => new URL(request.url).pathname))",
      );
      assert.ok(paths.includes("/"), paths.join(" "));
      const folders = new Set(
        paths
          .filter((path) => path !== "/")
          .map((path) => path.split("/").slice(0, 3).join("/")),
      );
      assert.equal(folders.size, 1, paths.join(" "));
      // The worker removes files of another version when it loads the next document.
      await ann.run(
        "return caches.open('noughts-page').then((cache) => cache.put('/a/0000000000000000/app.js', new Response('')))",
      );
      await ann.reload();
      await ann.until(IS_ONLINE);
      await ann.until(
        "window.isForgotten || void caches.match('/a/0000000000000000/app.js').then((found) => { window.isForgotten = !found; })",
      );
    });

    test("only the scripts of the page become workers", async () => {
      for (const code of [
        "new Worker('/icon.svg')",
        "navigator.serviceWorker.register('/other.js')",
        "document.body.innerHTML = '<b>x</b>'",
        "document.createElement('script').src = '/icon.svg'",
        "trustedTypes.createPolicy('other', {})",
      ]) {
        assert.equal(
          await ann.run(
            `return (async () => { try { await (${code}); return 'done'; } catch (error) { return error.name; } })()`,
          ),
          "TypeError",
          code,
        );
      }
      fixture.takeProblems([ann]);
    });

    test("a missing file of a screen reloads the page once, because the server may have another version", async () => {
      await fixture.visit(bob);
      const requestsOf = (end) =>
        bob.requests.filter((url) => url.endsWith(end)).length;
      // The document is blocked as well: a server that is being restarted does not answer the
      // reload either.
      const page = server.page;
      await bob.devtools("Network.setBlockedURLs", {
        urls: ["*/screens/settings.js", page],
      });
      await bob.run(
        "window.isOld = true; document.querySelector('.bar > .icon-button:last-child').click()",
      );
      const [files, documents] = ["/screens/settings.js", page].map(requestsOf);
      await waitUntil(
        () =>
          requestsOf("/screens/settings.js") > files + 1 &&
          requestsOf(page) > documents,
        () => "another attempt to load the screen",
      );
      await bob.until("window.isOld");
      await bob.devtools("Network.setBlockedURLs", {
        urls: ["*/screens/settings.js"],
      });
      await bob.until(`!window.isOld && ${IS_ONLINE}`);
      // The address keeps the screen. A second failure does not reload the page: the screen appears as soon as its file does.
      await bob.run("window.isOld = true");
      const attempts = bob.requests.length;
      await waitUntil(
        () =>
          bob.requests
            .slice(attempts)
            .some((url) => url.includes("/screens/settings.js")),
        () => "another attempt to load the screen",
      );
      await bob.devtools("Network.setBlockedURLs", { urls: [] });
      await bob.until("window.isOld && document.querySelector('#own-name')");
      fixture.takeProblems([bob]);
    });

    test("a page whose first file was rejected loads itself again", async () => {
      await bob.run(
        "return navigator.serviceWorker.getRegistrations().then((found) => Promise.all(found.map((one) => one.unregister())))",
      );
      await bob.run("return caches.delete('noughts-page')");
      await bob.devtools("Network.setCacheDisabled", { cacheDisabled: true });
      await bob.devtools("Network.setBlockedURLs", { urls: ["*/app.js"] });
      // The page waits for two seconds and a random part of three seconds. The test removes the
      // random part.
      const end = await bob.runFirst("Math.random = () => 0;");
      await bob.go(server.page);
      await end();
      assert.equal(
        await bob.run("return document.querySelector('main#main')"),
        null,
      );
      await bob.devtools("Network.setBlockedURLs", { urls: [] });
      await bob.until(IS_ONLINE);
      fixture.takeProblems([bob]);
    });

    test("the joined files have the statements of the modules, and no others", async () => {
      const typescript = createRequire(import.meta.url)(
        "/usr/share/nodejs/typescript",
      );
      const printer = typescript.createPrinter({ removeComments: true });
      /** Statements without imports, exports and the paths of loaded modules, as TypeScript prints them, without spaces and separators before a bracket that closes. */
      const statementsOf = (text) => {
        const file = typescript.createSourceFile(
          "page.js",
          text,
          typescript.ScriptTarget.ES2022,
          false,
          typescript.ScriptKind.JS,
        );
        const statements = file.statements.filter(
          (node) =>
            !typescript.isImportDeclaration(node) &&
            !typescript.isExportDeclaration(node),
        );
        return statements.map((node) =>
          printer
            .printNode(typescript.EmitHint.Unspecified, node, file)
            .replace(/^export (?!default)/, "")
            .replace(/import\("[^"]*"\)/g, "import()")
            .replace(/\s+/g, "")
            .replace(/[,;](?=[)\]}])/g, ""),
        );
      };
      const page = new URL("../../../../client/web/page/", import.meta.url);
      const sources = readdirSync(page, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".js") && !name.startsWith("install/"));
      const folder = /\/a\/[0-9a-f]+\//.exec(
        await (await fetch(server.page)).text(),
      )[0];
      const joined = new Map();
      for (const name of sources) {
        const response = await fetch(new URL(folder + name, server.page));
        if (response.ok) joined.set(name, statementsOf(await response.text()));
      }
      assert.ok(
        joined.size > 10 && joined.size < sources.length / 2,
        [...joined.keys()].join(" "),
      );
      const found = new Set([...joined.values()].flat());
      const wanted = new Set();
      for (const name of sources) {
        for (const statement of statementsOf(
          readFileSync(new URL(name, page), "utf8"),
        )) {
          assert.ok(found.has(statement), `${name}: ${statement}`);
          wanted.add(statement);
        }
      }
      assert.deepEqual(
        [...found].filter((statement) => !wanted.has(statement)),
        [],
      );
    });

    test("no name at the top level of a module is one of the browser", async () => {
      // The modules of a bundled file share a scope, so such a name would hide the name of the
      // browser.
      const page = new URL("../../../../client/web/page/", import.meta.url);
      const names = readdirSync(page, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".js"))
        .flatMap((name) =>
          [
            ...readFileSync(new URL(name, page), "utf8").matchAll(
              /^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/gm,
            ),
          ].map(([, found]) => found),
        );
      assert.ok(names.length > 200);
      assert.deepEqual(
        await ann.run(
          "return arguments[0].filter((name) => name in window)",
          names,
        ),
        [],
      );
    });
  },
);
