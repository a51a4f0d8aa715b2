package dev.weir.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests arguments of {@code weir replay} that are refused before a broker is asked. */
class ReplayArgumentsTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "--filter colour=red, \"'colour=red' is not NAME=TEXT\"",
                "--max 0, --max must be at least 1",
                "--origin-headers topic, 'topic' in 'topic' is not FIELD=HEADER",
                "--format rabbit, \"--format must be weir, spring, spring-cloud-stream, connect or share-group\"",
                "--since yesterday, is not a time",
                "--list 5, --list is for --dry-run",
                "--to x, --to and --dead-letter name the same topic",
                "--to __consumer_offsets, --to=__consumer_offsets is internal to Kafka",
                "--allow-topic __transaction_state, --allow-topic=__transaction_state is internal to Kafka",
                "--exclude-topic a*b, \"--exclude-topic must be names of topics, with * at the end at most\""
            })
    void wrongArguments_areRefused(String arguments, String message) {
        CommandHarness command = new CommandHarness();
        String[] line = Stream.concat(
                        Stream.of("replay", "--bootstrap-server", "127.0.0.1:1", "--dead-letter", "x", "--json"),
                        Stream.of(arguments.split(" ")))
                .toArray(String[]::new);
        assertThat(command.run(line)).as(command.err()).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(command.err()).contains(message).doesNotContain("\tat ");
    }
}
