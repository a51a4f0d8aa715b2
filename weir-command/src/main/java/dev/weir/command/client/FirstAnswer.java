package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;

/**
 * Sends a server one request before Kafka's clients do, to detect servers that do not speak Kafka's protocol. Kafka's
 * clients take the first four bytes of an answer as its size and allocate that much memory: 1.2 GB for the answer of a
 * web server, 350 MB for a TLS listener. Stateless.
 */
final class FirstAnswer {

    /** Time limit for each address. Kafka's clients have their own. */
    private static final int PATIENCE_MILLIS = 2_000;

    private static final short API_VERSIONS = 18;
    private static final short FIRST_VERSION = 0;
    private static final int CORRELATION = 0x77656972;
    private static final short NO_CLIENT_ID = -1;
    private static final int REQUEST_BYTES = 10;

    /** Number of bytes to read from an answer: its size and its correlation id. */
    private static final int ANSWER_BYTES = 8;

    private static final byte[] QUESTION = ByteBuffer.allocate(Integer.BYTES + REQUEST_BYTES)
            .putInt(REQUEST_BYTES)
            .putShort(API_VERSIONS)
            .putShort(FIRST_VERSION)
            .putInt(CORRELATION)
            .putShort(NO_CLIENT_ID)
            .array();

    /** Largest plausible answer. The list of API versions takes a few hundred bytes. */
    private static final int MAX_ANSWER_BYTES = 1024 * 1024;

    private FirstAnswer() {}

    /**
     * Throws if an address answers in another protocol than Kafka's. Ignores unreachable addresses, which the clients
     * report.
     *
     * @param config a client's configuration; if it uses TLS, nothing is checked
     */
    static void check(String bootstrapServers, Map<String, Object> config) throws InterruptedException {
        Object protocol = config.getOrDefault(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT");
        if (!String.valueOf(protocol).toUpperCase(Locale.ROOT).endsWith("PLAINTEXT")) {
            return;
        }
        List<InetSocketAddress> addresses;
        try {
            addresses = ClientUtils.parseAndValidateAddresses(
                    List.of(bootstrapServers.strip().split("\\s*,\\s*")), ClientDnsLookup.USE_ALL_DNS_IPS);
        } catch (ConfigException notAddresses) {
            // The addresses are malformed. The clients report that, with the name of the option.
            return;
        }
        // Check all addresses at once, because a silent one takes the whole time limit. Use platform threads: the exit
        // of a JVM waits 300 ms for the poller of virtual threads.
        try (ExecutorService checks = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("weir-first-answer").factory())) {
            List<Future<Boolean>> answers = new ArrayList<>();
            addresses.forEach(address -> answers.add(checks.submit(() -> mayBeKafka(address))));
            for (int i = 0; i < answers.size(); i++) {
                if (!answers.get(i).get()) {
                    throw noBroker(addresses.get(i));
                }
            }
        } catch (ExecutionException fault) {
            throw CliFailure.unexpected(fault.getCause() == null ? fault : fault.getCause());
        }
    }

    private static CliFailure noBroker(InetSocketAddress address) {
        return CliFailure.work(
                "what listens at " + address.getHostString() + ":" + address.getPort()
                        + " is not a Kafka broker, or requires TLS",
                "Check --bootstrap-server, and security.protocol in the file given to --client-config.");
    }

    private static boolean mayBeKafka(InetSocketAddress address) {
        byte[] answer = new byte[ANSWER_BYTES];
        return mayBeKafkas(answer, ask(address, answer));
    }

    /**
     * Sends the request and reads the first {@value #ANSWER_BYTES} bytes of the answer. Stops early if they cannot come
     * from a broker, if the connection fails, or if the time is up. Returns the number of bytes read.
     */
    private static int ask(InetSocketAddress address, byte[] answer) {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        int bytes = 0;
        try (Socket socket = new Socket()) {
            socket.connect(address, PATIENCE_MILLIS);
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

    /** Returns whether a broker may send these bytes first: a plausible size, and the request's correlation id. */
    private static boolean mayBeKafkas(byte[] answer, int bytes) {
        ByteBuffer read = ByteBuffer.wrap(answer);
        // Missing bytes are 0, so this is the smallest possible size.
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
