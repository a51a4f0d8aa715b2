package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class MainTest {

    private final CommandHarness harness = new CommandHarness();

    @Test
    void help_printsUsageOnStandardOutput() {
        assertThat(harness.run("--help")).isEqualTo(ExitCode.DONE);
        assertThat(harness.out())
                .startsWith("Usage: weir ")
                .contains("completion")
                .doesNotContain("warm-up");
        assertThat(harness.err()).isEmpty();
    }

    @Test
    void version_namesWeirKafkaAndJdk() {
        assertThat(harness.run("--version")).isEqualTo(ExitCode.DONE);
        assertThat(harness.out().lines())
                .hasSize(3)
                .satisfiesExactly(
                        weir -> assertThat(weir).matches("Weir \\d+\\.\\d+\\.\\d+.*"),
                        kafka -> assertThat(kafka).matches("Kafka client \\d+\\.\\d+\\.\\d+"),
                        jdk -> assertThat(jdk).startsWith("JDK " + Runtime.version()));
    }

    @Test
    void noCommand_isWrongUsage() {
        assertThat(harness.run()).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines()).containsExactly("weir: No command given. Try 'weir --help'.");
    }

    @Test
    void unknownCommand_suggestsTheNearest() {
        assertThat(harness.run("completio")).isEqualTo(ExitCode.WRONG_USAGE);
        // The most likely command comes first. The other suggestions depend on the existing commands.
        assertThat(harness.err().lines())
                .singleElement()
                .asString()
                .startsWith("weir: Unmatched argument at index 0: 'completio'. Did you mean completion")
                .endsWith("? Try 'weir --help'.");
    }

    @Test
    void unknownOption_namesItAndTheHelpOfItsCommand() {
        assertThat(harness.run("completion", "--colour=red")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines())
                .containsExactly("weir completion: Unknown option: '--colour=red'. Try 'weir completion --help'.");
    }

    /** Regression: the missing argument was reported as an unknown option. */
    @Test
    void missingArgument_besideANegatedOption_isReported() {
        assertThat(harness.run("tune", "--no-apply")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("Missing required parameter: ").doesNotContain("Unknown option");
    }

    /** Regression: an argument such as {@code @@} was taken for the name of a file with arguments. */
    @Test
    void argument_thatBeginsWithAt_isTakenAsItIs(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("arguments"), "--version");
        for (Path path : List.of(file, folder)) {
            assertThat(harness.run("@" + path)).isEqualTo(ExitCode.WRONG_USAGE);
            assertThat(harness.err()).contains("Unmatched argument at index 0: '@" + path);
        }
    }

    /** Regression: {@code --too} was taken for {@code --token-file}. */
    @ParameterizedTest
    @CsvSource({
        "pipe --too x, Did you mean --to?",
        "pipe --form=x, Did you mean --from?",
        "pipe --grup x, Did you mean --group?",
        "replay --alow-topic x, Did you mean --allow-topic?",
        "demo --record=5, Did you mean --records?"
    })
    void misspeltOption_suggestsTheNearest(String line, String suggestion) {
        assertThat(harness.run(line.split(" ", -1))).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(suggestion);
    }

    /** The exception's text must neither forge a line nor control the terminal. */
    @Test
    void failure_withControlCharacters_isOneLine() {
        harness.runProbe(weir -> {
            throw CliFailure.work("bad \u001b[2J\nweir pipe: drained", "");
        });
        assertThat(harness.err().lines()).containsExactly("weir probe: bad \\u001b[2J\\nweir pipe: drained");
    }

    @Test
    void completion_printsTheScriptOfAllCommands() {
        assertThat(harness.run("completion")).isEqualTo(ExitCode.DONE);
        assertThat(harness.out()).contains("complete -F _complete_weir", "--log-file");
    }

    @Test
    void workFailure_printsTwoLinesAndNoTrace() {
        int code = harness.runProbe(weir -> {
            throw CliFailure.work("no broker answers at localhost:9", "Start one with 'weir broker'.");
        });
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err().lines())
                .containsExactly("weir probe: no broker answers at localhost:9", "  Start one with 'weir broker'.");
        assertThat(harness.out()).isEmpty();
    }

    @Test
    void failure_underJson_isTheErrorOfTheLastLine_whateverKindItIs() {
        assertThat(harness.run("demo", "--records=0", "--json")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.out().lines())
                .singleElement()
                .asString()
                .startsWith("{\"error\":\"--records must be 1 to 100,000,000");
        for (String command : List.of("pipe", "replay", "broker", "produce", "bench compare", "bench report")) {
            CommandHarness other = new CommandHarness();
            String[] line = (command + " --json --no-such-option").split(" ");
            assertThat(other.run(line)).isEqualTo(ExitCode.WRONG_USAGE);
            assertThat(other.out()).as(command).startsWith("{\"error\":\"");
        }
        for (String format : List.of("--format=json", "--format json", "--format=JSON", "--format Json")) {
            CommandHarness other = new CommandHarness();
            assertThat(other.run(("consume --no-such-option " + format).split(" ")))
                    .isEqualTo(ExitCode.WRONG_USAGE);
            assertThat(other.out()).as(format).startsWith("{\"error\":\"");
        }
    }

    @Test
    void failure_thatTheSummaryTells_isNotToldTwice() {
        int code = harness.weir.execute(
                new CommandLine(harness.weir).addSubcommand(new JsonProbe(harness.weir)), "json-probe", "--json");
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.out().lines()).containsExactly("{\"error\":\"it broke\"}");
    }

    @Command(name = "json-probe")
    private static final class JsonProbe implements Callable<Integer> {
        private final Main weir;

        @Option(names = "--json")
        private boolean json;

        JsonProbe(Main weir) {
            this.weir = weir;
        }

        @Override
        public Integer call() {
            weir.json().write(line -> line.writeStringField("error", json ? "it broke" : ""));
            weir.errorIsReported();
            throw CliFailure.work("it broke", "");
        }
    }

    @Test
    void badValue_namesOptionValueAndBounds() {
        int code = harness.runProbe(weir -> {
            throw CliFailure.badValue("--brokers", 12, "1 to 9");
        });
        assertThat(code).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines())
                .containsExactly("weir probe: --brokers must be 1 to 9: --brokers=12. Try 'weir probe --help'.");
    }

    @Test
    void unforeseenError_printsTwoLinesAndAsksForAReport() {
        int code = harness.runProbe(weir -> {
            throw new NoClassDefFoundError("a/B");
        });
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err().lines())
                .hasSize(2)
                .first()
                .asString()
                .endsWith("unexpected java.lang.NoClassDefFoundError: a/B");
    }

    /** The JVM does not exit when memory outside the heap is exhausted, so the command must. */
    @Test
    void outOfMemory_outsideOfTheHeap_isSaidWithTheWayOut_andHasAStatusOfItsOwn() {
        int code = harness.runProbe(weir -> {
            throw new IllegalStateException("a thread ended", new OutOfMemoryError("Cannot reserve direct memory"));
        });
        assertThat(code).isEqualTo(ExitCode.OUT_OF_MEMORY);
        assertThat(harness.err())
                .contains("out of memory: Cannot reserve direct memory", "WEIR_OPTS=-Xmx", "weir.buffer.bytes")
                .doesNotContain("fault of Weir");
    }

    /** Regression: the message was "null". */
    @Test
    void outOfMemory_withoutAMessage_isNamed() {
        harness.runProbe(weir -> {
            throw new OutOfMemoryError();
        });
        assertThat(harness.err())
                .contains("out of memory: java.lang.OutOfMemoryError")
                .doesNotContain("null");
    }

    @Test
    void threadThatCannotBeCreated_isSaidToNeedNoHeap() {
        int code = harness.runProbe(weir -> {
            throw new OutOfMemoryError(
                    "unable to create native thread: possibly out of memory or process/resource limits reached");
        });
        assertThat(code).isEqualTo(ExitCode.OUT_OF_MEMORY);
        assertThat(harness.err())
                .contains("More heap does not help", "ulimit -u")
                .doesNotContain("-Xmx");
    }

    @Test
    void verbose_addsTheTraceOfTheCause() {
        int code = harness.runProbe(
                weir -> {
                    throw CliFailure.work("stopped", "", new IllegalStateException("the cause"));
                },
                "--verbose");
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).startsWith("weir probe: stopped").contains("Caused by: java.lang.Illegal", "\tat ");
    }

    @Test
    void logLines_belowSevere_reachTheTerminalOnlyWhenVerbose() {
        harness.runProbe(MainTest::logOneWarning);
        assertThat(harness.err()).isEmpty();
        harness.runProbe(MainTest::logOneWarning, "--verbose");
        assertThat(harness.err()).contains("WARNING probe: broker may not be available");
    }

    @Test
    void logFile_getsTheLinesAndTheTerminalDoesNot(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("weir.log");
        assertThat(harness.runProbe(MainTest::logOneWarning, "--log-file", file.toString()))
                .isEqualTo(ExitCode.DONE);
        assertThat(Files.readString(file)).contains("WARNING probe: broker may not be available");
        assertThat(harness.err()).isEmpty();
    }

    /** Clients log their settings at the start, and repeat rejected values in messages. */
    @Test
    void passwordInAnAddress_isInNoLineAndInNoError(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("weir.log");
        String address = "https://me:hunter2@idp.example/token";
        int code = harness.runProbe(
                weir -> {
                    Logger.getLogger("probe").info("sasl.oauthbearer.token.endpoint.url = " + address);
                    throw CliFailure.work("no answer from " + address, "");
                },
                "--log-file",
                file.toString(),
                "--verbose");
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(Files.readString(file))
                .contains("[hidden]@idp.example/token")
                .doesNotContain("hunter2");
        assertThat(harness.err())
                .contains("no answer from https://[hidden]@idp.example/token", "\tat ")
                .doesNotContain("hunter2");
    }

    @Test
    void logFile_thatCannotBeWritten_isWrongUsage(@TempDir Path folder) {
        Path file = folder.resolve("absent").resolve("weir.log");
        assertThat(harness.run("completion", "--log-file", file.toString())).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines()).hasSize(1).first().asString().contains("--log-file=" + file, "no such file");
        assertThat(harness.out()).isEmpty();
    }

    @Test
    void warmUp_endsWellWithoutABroker() {
        assertThat(harness.run("warm-up")).isEqualTo(ExitCode.DONE);
        assertThat(harness.err()).isEmpty();
    }

    private static int logOneWarning(Main weir) {
        Logger.getLogger("probe").warning("broker may not be available");
        return ExitCode.DONE;
    }
}
