package dev.weir.cli.client;

import dev.weir.cli.terminal.CliFailure;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;

/**
 * Asks what listens at an address one question before Kafka's clients do. They make room for an answer as soon as its
 * size is claimed, whatever it is: a web server claims 1.2 GB with its first four bytes,
 * a TLS listener 350 MB. Stateless.
 */
final class FirstAnswer {

    /** For all addresses together; the clients that follow have theirs. */
    private static final int PATIENCE_MILLIS = 2_000;

    private static final short API_VERSIONS = 18;
    private static final short FIRST_VERSION = 0;
    private static final int CORRELATION = 0x77656972;
    private static final short NO_CLIENT_ID = -1;
    private static final int REQUEST_BYTES = 10;

    /** A list of versions takes some hundred bytes. */
    private static final int MAX_ANSWER_BYTES = 1024 * 1024;

    private FirstAnswer() {}

    /**
     * Returns unless an address answers with what is none of Kafka's protocol;
     * who does not answer is for the clients to tell.
     *
     * @param config of a client; with TLS nothing is asked
     */
    static void check(String bootstrapServers, Map<String, Object> config) {
        Object protocol = config.getOrDefault(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT");
        if (!String.valueOf(protocol).toUpperCase(Locale.ROOT).endsWith("PLAINTEXT")) {
            return;
        }
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        try {
            for (InetSocketAddress address : ClientUtils.parseAndValidateAddresses(
                    List.of(bootstrapServers.strip().split("\\s*,\\s*")), ClientDnsLookup.USE_ALL_DNS_IPS)) {
                int millis = (int) TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
                if (millis > 0) {
                    check(address, millis);
                }
            }
        } catch (ConfigException notAddresses) { // The clients say so too, and that it is about the option.
            return;
        }
    }

    private static void check(InetSocketAddress address, int millis) {
        int size;
        int correlation;
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(millis);
            socket.connect(address, millis);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(REQUEST_BYTES);
            out.writeShort(API_VERSIONS);
            out.writeShort(FIRST_VERSION);
            out.writeInt(CORRELATION);
            out.writeShort(NO_CLIENT_ID);
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            size = in.readInt();
            correlation = in.readInt();
        } catch (IOException nobody) {
            return;
        }
        if (size < Integer.BYTES || size > MAX_ANSWER_BYTES || correlation != CORRELATION) {
            throw CliFailure.work(
                    "what listens at " + address.getHostString() + ":" + address.getPort()
                            + " is no Kafka broker, or one that wants TLS",
                    "Check --bootstrap-server, and security.protocol in the file given to --client-config.");
        }
    }
}
