package dev.weir.testkit;

import dev.weir.testkit.internal.ProxyNetwork;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A proxy between one client and the brokers. The proxy can delay messages, cut connections or stop forwarding.
 * Thread-safe.
 *
 * <pre>{@code
 * try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
 *     settings.bootstrapServers(network.bootstrapServers());   // this client alone
 *     network.cut();
 *     network.restore();
 * }
 * }</pre>
 *
 * <p>The proxy has one port per broker. It replaces the brokers' addresses with these ports in every response that
 * contains them, so that the client keeps using the proxy. Supports only plaintext connections, because it cannot
 * decrypt TLS.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int MAX_PORT = 65_535;

    private final ProxyNetwork network = new ProxyNetwork();
    private final String bootstrapServers;

    private FaultProxy(String brokers) {
        this.bootstrapServers = Arrays.stream(brokers.split(","))
                .map(broker -> {
                    int colon = broker.lastIndexOf(':');
                    String host = broker.substring(0, colon).strip();
                    return "127.0.0.1:" + network.portFor(host, Integer.parseInt(broker.substring(colon + 1)));
                })
                .collect(Collectors.joining(","));
    }

    /**
     * Opens a proxy that forwards everything.
     *
     * @param bootstrapServers brokers as {@code host:port}, separated by commas
     */
    public static FaultProxy to(String bootstrapServers) {
        if (!Arrays.stream(bootstrapServers.split(",", -1)).allMatch(FaultProxy::isAddress)) {
            throw new IllegalArgumentException(
                    "not host:port, separated by commas: bootstrapServers=" + bootstrapServers);
        }
        return new FaultProxy(bootstrapServers);
    }

    private static boolean isAddress(String broker) {
        if (!broker.matches("[^:]+:\\d{1,5}")) {
            return false;
        }
        int port = Integer.parseInt(broker.substring(broker.indexOf(':') + 1));
        return port > 0 && port <= MAX_PORT;
    }

    /** Returns the proxy's own addresses, for the client's {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** Delays each message in both directions by the given duration; zero ends the delay. */
    public void delay(Duration each) {
        if (each.isNegative()) {
            throw new IllegalArgumentException("delay must be at least 0: each=" + each);
        }
        network.delay(each);
    }

    /** Resets all connections, and each new connection as soon as it is opened. */
    public void cut() {
        network.cut();
    }

    /** Forwards nothing but keeps all connections open, including new ones, like a lost route or a frozen host. */
    public void halfOpen() {
        network.hold();
    }

    /**
     * Drops the produce requests of all clients that have already written through this proxy. Everything else is
     * forwarded, including other requests of these clients and all requests of other clients. Clients are distinguished
     * by their {@code client.id}. A client that requests a producer id counts as a new client.
     */
    public void swallowWrites() {
        network.swallowWrites();
    }

    /**
     * Replaces some of the brokers' responses with rare but legal ones, which clients must handle but tests seldom
     * encounter. For each kind of rare response, the seed determines whether the n-th eligible response is replaced.
     * The order in which responses arrive still varies from run to run. Each call replaces the seed and kinds of the
     * previous call.
     *
     * <p>Brokers still execute the requests, so a producer without idempotence writes records twice. Responses to share
     * fetches can only be delayed or lost.
     *
     * @param kinds the kinds of rare responses; all kinds if none is given
     */
    public void answerRarely(long seed, RareAnswer... kinds) {
        Set<RareAnswer> named = EnumSet.noneOf(RareAnswer.class);
        for (RareAnswer each : Objects.requireNonNull(kinds, "kinds")) {
            named.add(Objects.requireNonNull(each, "kinds"));
        }
        network.answerRarely(seed, named.isEmpty() ? EnumSet.allOf(RareAnswer.class) : named);
    }

    /** Returns how often each kind of rare response was given since the last {@link #answerRarely}. */
    public Map<RareAnswer, Long> rareAnswers() {
        return network.rareAnswersGiven();
    }

    /**
     * Ends {@link #cut}, {@link #halfOpen}, {@link #swallowWrites}, {@link #answerRarely} and {@link #delay}. Messages
     * that were held back are forwarded.
     */
    public void restore() {
        network.restore();
    }

    /** Closes all connections and ports. */
    @Override
    public void close() {
        network.close();
    }
}
