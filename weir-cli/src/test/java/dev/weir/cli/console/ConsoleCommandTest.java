package dev.weir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import dev.weir.console.ConsoleServer;
import dev.weir.console.TimelineEntry;
import dev.weir.metrics.Limiter;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.control.StageControl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ConsoleCommandTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKEN = "a-token-of-some-length";

    private final CommandHarness harness = new CommandHarness();
    private RunningPipeline running;
    private ConsoleServer console;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws IOException {
        running = Source.<Integer>never()
                .mapBlocking(2, Ordering.input(), number -> number)
                .named("price")
                .to(Sink.ignore())
                .run();
        console = ConsoleServer.builder().start(running);
    }

    @AfterEach
    void end() {
        running.cancel();
        console.close();
    }

    private JsonNode lastLine() throws IOException {
        return JSON.readTree(harness.out().lines().toList().getLast());
    }

    @Test
    void set_onAnAddress_changesThePipeline() throws Exception {
        int code = harness.run("console", console.uri().toString(), "--set", "stage.price.parallelism=24", "--json");
        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        JsonNode answer = lastLine();
        assertThat(answer.path("accepted").asBoolean()).isTrue();
        assertThat(answer.at("/applied/stage.price.parallelism").asInt()).isEqualTo(24);
        assertThat(answer.path("refused")).isEmpty();
        assertThat(answer.at("/state/stages").isArray()).isTrue();
        assertThat(running.handles(StageControl.class).getFirst().parallelism()).isEqualTo(24);
    }

    @Test
    void set_thatIsRefused_exitsWithOneAndTheReason() throws Exception {
        int code = harness.run(
                "console",
                console.uri().toString(),
                "--set=stage.price.parallelism=9999",
                "--set=stage.price.parallelism =1",
                "--json");
        assertThat(code).isEqualTo(ExitCode.FAILED);
        JsonNode answer = lastLine();
        assertThat(answer.path("accepted").asBoolean()).isFalse();
        assertThat(answer.path("refused")).hasSize(2);
        assertThat(answer.path("error").asText()).contains("1 to 512").contains("1 more");
        assertThat(harness.err()).contains("stage.price.parallelism=9999");
    }

    /** The command must show the limiter, the advice, its expected gain, and the last change's gain, like the page. */
    @Test
    void limiter_isToldWithItsGains() throws Exception {
        Limiter limiter = Limiter.of(Limiter.Kind.STAGE_WAIT, "price", "price waits", "raise it from 2 to 6", 3);
        CountDownLatch asked = new CountDownLatch(1);
        console.show(running, () -> {
            asked.countDown();
            return limiter.measured(1.8);
        });
        // The console completes the current reading before it answers a request.
        asked.await();
        assertThat(harness.run("console", console.uri().toString())).isEqualTo(ExitCode.DONE);
        assertThat(harness.out())
                .contains(
                        "limiter  stage-wait: price waits",
                        "to do: raise it from 2 to 6 (expected: 3.0 times the rate); the change before: 1.8 times");
    }

    @Test
    void timeline_isWrittenToTheFile() throws Exception {
        Path file = folder.resolve("timeline.json");
        int code = harness.run("console", console.uri().toString(), "--set=log.dev.weir.x=info", "--timeline=" + file);
        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        JsonNode entries = JSON.readTree(Files.readString(file)).path("entries");
        assertThat(entries).hasSize(1);
        assertThat(entries.get(0).path("key").asText()).isEqualTo("log.dev.weir.x");
        assertThat(harness.out()).contains("applied  log.dev.weir.x=info").contains("pipeline ");
    }

    /** Regression: the change was made before the file was checked. */
    @Test
    void timeline_thatCannotBeWritten_isRefusedBeforeTheChange() {
        for (Path file : List.of(folder, folder.resolve("nowhere").resolve("timeline.json"))) {
            int code = harness.run(
                    "console", console.uri().toString(), "--set=stage.price.parallelism=24", "--timeline=" + file);
            assertThat(code).isEqualTo(ExitCode.WRONG_USAGE);
            assertThat(harness.err()).contains("--timeline=" + file);
        }
        assertThat(running.handles(StageControl.class).getFirst().parallelism()).isEqualTo(2);
    }

    /** Regression: editors and shells of Windows write a byte order mark, which was no JSON. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE"})
    void replay_ofAFileWithAByteOrderMark_makesItsChanges(String charset) throws Exception {
        Path file = Files.writeString(
                folder.resolve("timeline.json"),
                "\uFEFF{\"entries\":[{\"at_ms\":70,\"key\":\"stage.price.parallelism\",\"value\":7}]}",
                Charset.forName(charset));
        int code = harness.run("console", console.uri().toString(), "--replay=" + file);
        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        assertThat(running.handles(StageControl.class).getFirst().parallelism()).isEqualTo(7);
    }

    @Test
    void replay_ofATimeline_makesItsChangesInTheirOrderAtTheirTimes() throws Exception {
        Path file = folder.resolve("timeline.json");
        for (String setting : List.of("24", "9999", "12")) { // the second is refused, and not replayed
            var ignored = console.set(Map.of("stage.price.parallelism", setting));
        }
        String address = console.uri().toString();
        assertThat(harness.run("console", address, "--timeline=" + file)).isEqualTo(ExitCode.DONE);
        String recorded = Files.readString(file);
        long first = JSON.readTree(recorded).at("/entries/0/at_ms").asLong();
        // Moves the last change to half a second after the first change.
        Files.writeString(file, recorded.replaceFirst("(?s)(.*\"at_ms\" : )[0-9]+", "$1" + (first + 500)));
        int asked = console.timeline().size();
        Instant begun = Instant.now();
        int code = harness.run("console", address, "--replay=" + file, "--json");
        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        assertThat(lastLine().at("/applied/stage.price.parallelism").asInt()).isEqualTo(12);
        List<TimelineEntry> replayed =
                console.timeline().subList(asked, console.timeline().size());
        assertThat(replayed).extracting(TimelineEntry::value).containsExactly("24", "12");
        // No change may be replayed early. The tolerance allows for two clocks.
        assertThat(replayed.get(1).at()).isAfterOrEqualTo(begun.plusMillis(450));
    }

    @Test
    void replay_tellsOfChangesThatAreRefused_andGoesOn() throws Exception {
        Path file = Files.writeString(
                folder.resolve("timeline.json"),
                "{\"entries\":[{\"at_ms\":70,\"key\":\"stage.none.parallelism\",\"value\":3},"
                        + "{\"at_ms\":90,\"key\":\"stage.price.parallelism\",\"value\":7}]}");
        assertThat(harness.run("console", console.uri().toString(), "--replay=" + file))
                .isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("refused stage.none.parallelism=3").contains("stage.price.parallelism=7");
        assertThat(running.handles(StageControl.class).getFirst().parallelism()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"entries\":1}",
                "{\"entries\":[{\"at_ms\":1,\"key\":\"a\"}]}",
                "{\"entries\":[{\"at_ms\":1.5,\"key\":\"a\",\"value\":1}]}",
                "{\"entries\":[{\"at_ms\":5,\"key\":\"a\",\"value\":1},{\"at_ms\":4,\"key\":\"a\",\"value\":1}]}"
            })
    void replay_ofWhatIsNoTimeline_changesNothing(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("timeline.json"), text);
        assertThat(harness.run("console", console.uri().toString(), "--replay=" + file))
                .isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("cannot replay " + file).contains("--timeline FILE");
        assertThat(console.timeline()).isEmpty();
    }

    @Test
    void token_isReadFromItsFile() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        try (ConsoleServer guarded = ConsoleServer.builder().token(TOKEN).start(running)) {
            assertThat(harness.run("console", guarded.uri().toString())).isEqualTo(ExitCode.FAILED);
            assertThat(harness.err()).contains("token").doesNotContain(TOKEN);
            assertThat(harness.run("console", guarded.uri().toString(), "--token-file=" + file))
                    .isEqualTo(ExitCode.DONE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:1", "ftp://x", "4711x", "http://", "http://127.0.0.1:95000", "::"})
    void target_thatIsNeither_isRefused(String target) {
        assertThat(harness.run("console", target)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines()).hasSize(1).first().asString().contains(target);
    }

    /** Regression: a server other than a console was reported to have accepted the setting. */
    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[]", "null", "{\"applied\":{}}", "{\"pipeline\":\"orders\"}"})
    void target_thatIsAnotherServer_acceptsNothing(String answer) throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        other.start();
        try {
            String address = "http://127.0.0.1:" + other.getAddress().getPort();
            assertThat(harness.run("console", address, "--set", "stage.price.parallelism=24", "--json"))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(lastLine().path("error").asText()).isEqualTo(address + " is not a Weir console");
        } finally {
            other.stop(0);
        }
    }

    @Test
    void target_thatDoesNotAnswer_isOneLineAndAWayOut() {
        String address = console.uri().toString();
        console.close();
        assertThat(harness.run("console", address)).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("no console answers at " + address).doesNotContain("\tat ");
        assertThat(harness.run("console", "999999999")).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("there is no process 999999999");
    }

    @Test
    void process_isFoundByItsNumber() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SteeredMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String address = process.inputReader().readLine();
            int code =
                    harness.run("console", Long.toString(process.pid()), "--set=stage.price.parallelism=7", "--json");
            assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
            assertThat(lastLine().path("console").asText()).isEqualTo(address);
            assertThat(lastLine().at("/applied/stage.price.parallelism").asInt())
                    .isEqualTo(7);
            process.getOutputStream().close();
            assertThat(process.waitFor()).isZero();
        } finally {
            int ignored = process.destroyForcibly().waitFor();
        }
    }

    @Test
    void consoleOptions_thatDoNotGoTogether_areRefused() {
        String[] pipe = {"pipe", "--bootstrap-server=localhost:1", "--from=a", "--to=b", "--group=g"};
        assertThat(harness.run(with(pipe, "--console=0.0.0.0:0"))).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--console=0.0.0.0:0").contains("--token-file");
        assertThat(harness.run(with(pipe, "--token-file=x"))).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.run("demo", "--no-console", "--console=0")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--no-console does not go with");
    }

    /** Regression: the advice was to name the token's file, although only its token was too short. */
    @Test
    void tokenThatIsTooShort_isRefused_withoutAdviceToNameIt() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "short");
        String[] lines = {
            "pipe --bootstrap-server=localhost:1 --from=a --to=b --group=g --console=0 --token-file=" + token,
            "console http://127.0.0.1:1 http://127.0.0.1:2 --token-file=" + token
        };
        for (String line : lines) {
            harness.run(line.split(" "));
            assertThat(harness.err()).contains("a token must be at least").doesNotContain("Name its file");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "console",
                "console --json",
                "console --group g",
                "console 1 --bootstrap-server h:1",
                "console 1 --listen 0",
                "console http://127.0.0.1:1 http://127.0.0.1:2 --listen 0 --json",
                "console --group g --bootstrap-server h:1 --set source.paused=true",
                "console http://127.0.0.1:1 http://127.0.0.1:2 --timeline t.json",
                "console --group= --bootstrap-server h:1",
                "console http://127.0.0.1:1 http://127.0.0.1:2 --listen 0.0.0.0:0",
                "profile 1 --token-file t",
                "mcp",
                "mcp --group g",
                "mcp 1 --url http://127.0.0.1:1",
                "mcp --pid x",
                "mcp --url 127.0.0.1:1",
                "mcp --bootstrap-server h:1 --connect-timeout 0s",
            })
    void fleetAndAgentOptions_thatDoNotGoTogether_areRefused(String line) {
        assertThat(harness.run(line.split(" "))).as(harness.err()).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--help");
        assertThat(harness.out()).doesNotContain("jsonrpc");
    }

    /** Regression: the token was ignored. */
    @Test
    void tokenFile_ofAnAgentWithoutAConsole_isRefused() {
        assertThat(harness.run("mcp", "--bootstrap-server=h:1", "--token-file=t"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--token-file goes with the address of a console");
    }

    private static String[] with(String[] options, String more) {
        String[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = more;
        return all;
    }
}
