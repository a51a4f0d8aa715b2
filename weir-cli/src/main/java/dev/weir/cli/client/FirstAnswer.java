package dev.weir.cli.client;

import dev.weir.cli.terminal.CliFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;

/**
 * Asks a server one question before Kafka's clients do. They make room for an answer as soon as its size is claimed,
 * whatever it is: a web server claims 1.2 GB with its first four bytes, a TLS listener 350 MB, and may say no more.
 * Stateless.
 */
final class FirstAnswer {

    /** For all addresses together; the clients that follow have theirs. */
    private static final int PATIENCE_MILLIS = 2_000;

    private static final short API_VERSIONS = 18;
    private static final short FIRST_VERSION = 0;
    private static final int CORRELATION = 0x77656972;
    private static final short NO_CLIENT_ID = -1;
    private static final int REQUEST_BYTES = 10;

    /** Its size and the number of the question. */
    private static final int ANSWER_BYTES = 8;

    private static final byte[] QUESTION = ByteBuffer.allocate(Integer.BYTES + REQUEST_BYTES)
            .putInt(REQUEST_BYTES)
            .putShort(API_VERSIONS)
            .putShort(FIRST_VERSION)
            .putInt(CORRELATION)
            .putShort(NO_CLIENT_ID)
            .array();

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
        byte[] answer = new byte[ANSWER_BYTES];
        int bytes = ask(address, millis, answer);
        if (!mayBeKafkas(answer, bytes)) {
            throw CliFailure.work(
                    "what listens at " + address.getHostString() + ":" + address.getPort()
                            + " is no Kafka broker, or one that wants TLS",
                    "Check --bootstrap-server, and security.protocol in the file given to --client-config.");
        }
    }

    /** Returns how many bytes came: those that tell, or all that came before a failure. */
    private static int ask(InetSocketAddress address, int millis, byte[] answer) {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        int bytes = 0;
        try (Socket socket = new Socket()) {
            socket.connect(address, millis);
            socket.getOutputStream().write(QUESTION);
            InputStream in = socket.getInputStream();
            while (bytes < answer.length && mayBeKafkas(answer, bytes)) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
                socket.setSoTimeout((int) Math.max(1, left));
                int more = left > 0 ? in.read(answer, bytes, answer.length - bytes) : -1;
                if (more < 0) {
                    return bytes;
                }
                bytes += more;
            }
        } catch (IOException silent) {
            return bytes;
        }
        return bytes;
    }

    /** Returns whether a broker's answer may begin so: with a size that fits, and the number of the question. */
    private static boolean mayBeKafkas(byte[] answer, int bytes) {
        ByteBuffer read = ByteBuffer.wrap(answer);
        // What has not come is 0, which is the smallest of all that it can be.
        if (read.getInt(0) < 0 || read.getInt(0) > MAX_ANSWER_BYTES) {
            return false;
        }
        if (bytes >= Integer.BYTES && read.getInt(0) < Integer.BYTES) {
            return false;
        }
        byte[] wanted = ByteBuffer.allocate(ANSWER_BYTES)
                .putInt(read.getInt(0))
                .putInt(CORRELATION)
                .array();
        return Arrays.equals(answer, 0, bytes, wanted, 0, bytes);
    }
}
