package dev.weir.cli.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests contradictory options. They are refused before a broker is asked, with the option's name and what to do. */
class RecordsArgumentsTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            produce --count 0 | --count must be at least 1: --count=0
            produce --count 1 --size 0 | --size must be 1 to 100000000: --size=0
            produce --count 1 --keys 0 | --keys must be at least 1: --keys=0
            produce --count 1 --rate 0 | --rate must be at least 1: --rate=0
            produce --count 1 --file f | --count and --file do not go together
            produce --count 1 --key-separator : | --count and --key-separator do not go together
            produce --size 10 | --size is for generated records
            produce --rate 10 | --rate is for generated records
            produce --keys 10 | --keys is for generated records
            produce --header =x | '=x' is not a header: write NAME=TEXT
            produce --header x | 'x' is not a header: write NAME=TEXT
            produce --file no-such-file | --file must be a file that can be read (no such file or folder)
            produce --file . | --file must be a file that can be read (a folder)
            produce --client-config no-such-file | --client-config must be a properties file
            consume --max 0 | --max must be at least 1: --max=0
            consume --from middle | 'middle' is not a place to begin: write beginning, end, an offset, or a time
            consume --from=-5 | '-5' is not a place to begin
            consume --from 2026-13-01 | '2026-13-01' is not a time: write
            consume --from 9999999999999999999 | '9999999999999999999' is not a place to begin
            consume --format xml | --format
            consume --partition x | --partition
            consume --client-config no-such-file | --client-config must be a properties file
            """)
    void wrongArguments_areRefused(String arguments, String message) {
        CommandHarness harness = new CommandHarness();
        String[] words = (arguments + " --bootstrap-server 127.0.0.1:1 --topic t").split(" ", -1);
        assertThat(harness.run(words)).as(harness.err()).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(message);
        assertThat(harness.out()).isEmpty();
    }
}
