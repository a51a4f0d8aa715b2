package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.DurationConverter;
import dev.weir.command.terminal.ExitCode;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests options without effect. They are refused, or cause a warning if the run still does what the user wants. */
class IgnoredOptionsTest {

    private static PipeOptions options(String arguments) {
        String required = "--bootstrap-server h:1 --from a --to b --group g ";
        PipeOptions options = new PipeOptions();
        new CommandLine(new Holder(options))
                .registerConverter(Duration.class, new DurationConverter())
                .parseArgs((required + arguments).strip().split(" "));
        return options;
    }

    @CommandLine.Command
    private static final class Holder {
        @CommandLine.Mixin
        @SuppressWarnings("UnusedVariable") // picocli reads it
        final PipeOptions options;

        Holder(PipeOptions options) {
            this.options = options;
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --retry 3 | --retry has nothing to repeat
            --retry 3 --work 5ms | --retry has nothing to repeat
            --retry 3 --dead-letter d | --retry has nothing to repeat
            --timeout 3s | --timeout has nothing to limit
            --retry 3 --via exec:cat | --retry does not go with
            """)
    void optionThatCannotApply_isRefused(String arguments, String message) {
        PipeOptions options = options(arguments);
        assertThat(catchThrowable(() -> PipeRules.check(options)))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --concurrency 8 | --concurrency has no effect
            --ordering partition | --ordering has no effect
            --ordering key --via exec:cat | --ordering has no effect
            --ordering key --dead-letter d | --ordering has no effect
            --concurrency 8 --dead-letter d | --concurrency has no effect
            --ordering unordered --work-cpu 5us --timeout 1s | --ordering has no effect
            """)
    void optionWithoutEffect_isWarnedOf(String arguments, String message) {
        PipeOptions options = options(arguments);
        PipeRules.check(options);
        assertThat(PipeRules.warnings(options)).singleElement().asString().contains(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --retry 3 --via each:cat --ordering key --concurrency 8
            --retry 3 --work 5ms --timeout 1s
            --work 5ms --ordering partition --concurrency 8
            --work-cpu 5us --concurrency 2
            --dead-letter d
            --dead-letter d --work 5ms --ordering unordered --concurrency 8
            --dead-letter d --work-cpu 5us --concurrency 2
            """)
    void optionsThatApply_passInSilence(String arguments) {
        PipeOptions options = options(arguments);
        PipeRules.check(options);
        assertThat(PipeRules.warnings(options)).isEmpty();
    }

    @Test
    void brokerTopic_namedTwice_isRefused() {
        CommandHarness harness = new CommandHarness();
        String[] line = Stream.of("broker", "--topic", "a:1", "--topic", "a:2").toArray(String[]::new);
        assertThat(harness.run(line)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--topic names a twice: a:1 and a:2");
    }

    /** Regression: the broker was started first. */
    @Test
    void brokerTopic_thatCannotExist_isRefused() {
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("broker", "--port=0", "--topic=a b:1")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("'a b' cannot be the name of a topic");
    }
}
