package dev.weir.lean.internal.cluster;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.net.Transports;
import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * Connections to any number of brokers, driven by one thread. {@link #poll} does all work that does not block, and
 * {@link #await} waits until there is more to do. Confined to one thread, except {@link #wakeup}.
 */
public final class BrokerLinks implements AutoCloseable {

    private final LeanSettings settings;
    private final Transports transports;
    private final String clientId;
    private final SplittableRandom random;
    private final List<BrokerLink> links = new ArrayList<>();

    private BrokerLinks(LeanSettings settings, Transports transports) {
        this.settings = settings;
        this.transports = transports;
        this.random = transports.newRandom();
        this.clientId = settings.properties().getOrDefault(CommonClientConfigs.CLIENT_ID_CONFIG, "weir-lean");
    }

    /**
     * Creates an instance without connecting to any broker. The caller must close it.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names the property
     */
    public static BrokerLinks open(LeanSettings settings) {
        Objects.requireNonNull(settings, "settings");
        try {
            return new BrokerLinks(settings, Transports.of(settings.properties(), settings.receiveBufferBytes()));
        } catch (IOException e) {
            throw new LeanException("the system provides no selector: " + FailureText.of(e), e);
        }
    }

    /**
     * Creates a link to a broker with several addresses, which are tried in turn until a connection succeeds. The link
     * connects on the first attempt to send.
     *
     * @param name the link's name in messages
     * @param addresses returns the broker's addresses, which may be unresolved. Each attempt to connect calls this
     *     supplier, and uses the next address
     */
    public BrokerLink link(String name, Supplier<List<InetSocketAddress>> addresses, BrokerLink.Listener listener) {
        BrokerLink link = new BrokerLink(
                Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(addresses, "addresses"),
                Objects.requireNonNull(listener, "listener"),
                this);
        links.add(link);
        return link;
    }

    /**
     * Does all work that does not block, and calls listeners. Returns the amount of work done.
     *
     * @throws LeanException if a broker does not accept this client or does not speak Kafka's protocol
     */
    public int poll(long nowNanos) {
        int work = 0;
        for (int i = 0; i < links.size(); i++) {
            work += links.get(i).poll(nowNanos);
        }
        links.removeIf(BrokerLink::isDropped);
        return work;
    }

    /** Waits for work of a link, for {@link #wakeup}, or for the timeout; 0 does not wait. */
    public void await(long millis) {
        try {
            transports.await(millis);
        } catch (IOException e) {
            throw new LeanException("waiting for brokers: " + FailureText.of(e), e);
        }
    }

    /** Ends the current {@link #await}. If no thread is waiting, ends the next {@code await}. Thread-safe. */
    public void wakeup() {
        transports.wakeup();
    }

    /** Current time in nanoseconds from this object's clock, as defined by {@link System#nanoTime}. Thread-safe. */
    public long nanoTime() {
        return transports.nanoTime();
    }

    LeanSettings settings() {
        return settings;
    }

    Transports transports() {
        return transports;
    }

    String clientId() {
        return clientId;
    }

    /** Returns a new source of random numbers. */
    public SplittableRandom newRandom() {
        return transports.newRandom();
    }

    RetryBackoff newBackoff() {
        return new RetryBackoff(settings.maxBackoff().toNanos(), random);
    }

    /** Closes all connections; no listener is notified. */
    @Override
    public void close() {
        links.forEach(BrokerLink::drop);
        transports.close();
    }
}
