package dev.weir.command.client;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a server other than a broker is recognized by a few bytes of its answer. */
class FirstAnswerTest {

    private static final byte[] NOTHING = {};

    /** Answers the request with the given bytes, and then may close the connection. */
    private static void check(byte[] answer, boolean closes) throws Exception {
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> answer(server, answer, closes, checked));
            FirstAnswer.check("127.0.0.1:" + server.getLocalPort(), Map.of());
        } finally {
            checked.complete(null);
        }
    }

    private static void answer(
            ServerSocket server, byte[] answer, boolean closes, CompletableFuture<Void> untilChecked) {
        try (Socket socket = server.accept()) {
            socket.getInputStream().readNBytes(14);
            for (byte each : answer) {
                socket.getOutputStream().write(each);
            }
            if (!closes) {
                untilChecked.join();
            }
        } catch (IOException gone) {
            // The test is over.
        }
    }

    // Regression: for a TLS alert, whose length is seven bytes, Kafka's client allocated 350 MB.
    @ParameterizedTest
    @CsvSource({
        "15030300020246, true",
        "15030300020246, false",
        "15030100020232, true",
        "150303, true",
        "15, true",
        "485454502f312e3120, true",
        "485454, true",
        "485454, false",
        "5353482d322e302d, true",
        "5353482d, false",
        "534d54, true",
        "00000000, true",
        "00000003010203, true",
        "00100001, true",
        "7fffffff, true",
        "80000000, false",
        "ffff, true",
        "000000040000000000, true",
        "0000001200, false",
        "0000001277656973, false"
    })
    void answer_thatNoBrokerGives_isNamed_howeverShortItIs(String hex, boolean closes) {
        assertThatExceptionOfType(CliFailure.class)
                .isThrownBy(() -> check(HexFormat.of().parseHex(hex), closes))
                .withMessageContaining("is not a Kafka broker, or requires TLS");
    }

    // Regression: after a silent address, the remaining addresses were not checked.
    @Test
    void answer_thatNoBrokerGives_behindAnAddressThatIsSilent_isNamed() throws Exception {
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket tls = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            byte[] alert = HexFormat.of().parseHex("15030300020246");
            Thread.ofPlatform().daemon().start(() -> answer(tls, alert, true, checked));
            String addresses = "127.0.0.1:" + silent.getLocalPort() + ",127.0.0.1:" + tls.getLocalPort();
            assertThatExceptionOfType(CliFailure.class)
                    .isThrownBy(() -> FirstAnswer.check(addresses, Map.of()))
                    .withMessageContaining("127.0.0.1:" + tls.getLocalPort() + " is not a Kafka broker");
        }
    }

    /** A broker's answer may begin with these bytes, so the check accepts them. */
    @ParameterizedTest
    @ValueSource(strings = {"", "00", "000001", "00000152", "00000152776569", "0000015277656972", "000001527765697200"})
    void answer_thatABrokerMayBegin_isLeftToTheClients(String hex) {
        assertThatCode(() -> check(HexFormat.of().parseHex(hex), true)).doesNotThrowAnyException();
    }

    @Test
    void silence_isLeftToTheClients() {
        assertThatCode(() -> check(NOTHING, false)).doesNotThrowAnyException();
    }

    /** A client may connect to any of the addresses first. */
    @Test
    void answer_ofAnAddressBehindASilentOne_isChecked() throws Exception {
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket tls = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            byte[] alert = HexFormat.of().parseHex("15030300020246");
            Thread.ofPlatform().daemon().start(() -> answer(silent, NOTHING, false, checked));
            Thread.ofPlatform().daemon().start(() -> answer(tls, alert, true, checked));
            assertThatExceptionOfType(CliFailure.class)
                    .isThrownBy(() -> FirstAnswer.check(
                            "127.0.0.1:" + silent.getLocalPort() + ",127.0.0.1:" + tls.getLocalPort(), Map.of()))
                    .withMessageContaining(tls.getLocalPort() + " is not a Kafka broker, or requires TLS");
        } finally {
            checked.complete(null);
        }
    }
}
