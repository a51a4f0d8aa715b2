package dev.weir.cli.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.CommandHarness;
import dev.weir.command.console.ListenAddress;
import dev.weir.command.terminal.ExitCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ListenAddressTest {

    private final ListenAddress.Converter converter = new ListenAddress.Converter();

    @ParameterizedTest
    @CsvSource({"9400,,9400", "0,,0", "0.0.0.0:9400,0.0.0.0,9400", "[::1]:80,::1,80", "box.local:65535,box.local,65535"
    })
    void address_ofPortOrHostAndPort_isRead(String text, String host, int port) {
        ListenAddress address = converter.convert(text);
        assertThat(address).isEqualTo(new ListenAddress(host, port));
        assertThat(address).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", ":9400", "65536", "-1", "host:", "http://host:80", " :1"})
    void address_ofOtherText_isRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("[HOST:]PORT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--metrics-name=weir.example.com", "--metrics-partitions"})
    void optionsOfMetrics_withoutIt_areRefused(String option) {
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("demo", option)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err())
                .contains(option.replaceFirst("=.*", "") + " needs --metrics")
                .contains("Add --metrics");
    }

    @Test
    void name_thatIsNone_isRefused() {
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("demo", "--metrics=0", "--metrics-name=http://x:1"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err())
                .contains("--metrics-name must be a name as in a URL")
                .contains("http://x:1");
    }

    @Test
    void metrics_onTakenPort_endTheCommandBeforeItBegins() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandHarness harness = new CommandHarness();
            int code = harness.run("demo", "--metrics", Integer.toString(taken.getLocalPort()));
            assertThat(code).isEqualTo(ExitCode.FAILED);
            assertThat(harness.err()).contains("cannot listen on --metrics=" + taken.getLocalPort());
        }
    }
}
