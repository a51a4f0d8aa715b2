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
 * A network between one client and the brokers that can be slow, cut or silent. Thread-safe.
 *
 * <pre>{@code
 * try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
 *     settings.bootstrapServers(network.bootstrapServers());   // this client alone
 *     network.cut();
 *     network.restore();
 * }
 * }</pre>
 *
 * <p>It has a port for each broker, and puts those ports in place of the brokers' addresses wherever brokers tell a
 * client about each other; so the client stays on it. Plain text only: it cannot look into TLS.
 */
public final class FaultProxy implements AutoCloseable {

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
     * A network that passes everything on.
     *
     * @param bootstrapServers brokers as {@code host:port}, separated by commas
     */
    public static FaultProxy to(String bootstrapServers) {
        if (!bootstrapServers.matches("[^:,]+:\\d+(,[^:,]+:\\d+)*")) {
            throw new IllegalArgumentException(
                    "not host:port, separated by commas: bootstrapServers=" + bootstrapServers);
        }
        return new FaultProxy(bootstrapServers);
    }

    /** Addresses of the network's own, for the client's {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** Passes each message on after {@code each}, in either direction; zero ends that. */
    public void delay(Duration each) {
        if (each.isNegative()) {
            throw new IllegalArgumentException("delay must be at least 0: each=" + each);
        }
        network.delay(each);
    }

    /** Resets all connections, and each new one as soon as it comes. */
    public void cut() {
        network.cut();
    }

    /** Keeps connections open, also new ones, and passes nothing on: what a lost route or a frozen host looks like. */
    public void halfOpen() {
        network.hold();
    }

    /**
     * Drops the requests to write of all clients that have written so far, and passes on all else: brokers answer every
     * other question of theirs, and other clients. Another client is one with another {@code client.id}, or one that
     * asks for a producer id.
     */
    public void swallowWrites() {
        network.swallowWrites();
    }

    /**
     * Makes some of the brokers' answers rare ones, drawn from a seed: legal answers that a client must cope with and
     * that tests hardly meet. Of each kind the seed decides whether the n-th answer is rare; which request that is
     * depends on the run. Replaces what an earlier call has set.
     *
     * <p>Requests are carried out all the same, so a producer without idempotence writes records twice. Fetches of
     * share groups are late or lost only.
     *
     * @param kinds the rare answers to give; all of them if none is named
     */
    public void answerRarely(long seed, RareAnswer... kinds) {
        Set<RareAnswer> named = EnumSet.noneOf(RareAnswer.class);
        for (RareAnswer each : Objects.requireNonNull(kinds, "kinds")) {
            named.add(Objects.requireNonNull(each, "kinds"));
        }
        network.answerRarely(seed, named.isEmpty() ? EnumSet.allOf(RareAnswer.class) : named);
    }

    /** The number of times that each rare answer was given since the last {@link #answerRarely}. */
    public Map<RareAnswer, Long> rareAnswers() {
        return network.rareAnswersGiven();
    }

    /**
     * Ends {@link #cut}, {@link #halfOpen}, {@link #swallowWrites}, {@link #answerRarely} and {@link #delay}; what was
     * held back is passed on.
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
