package dev.weir.lean.spi;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.net.Transports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * Connections to any number of brokers, driven by one thread: {@link #poll} does all work that does not block,
 * {@link #await} waits for more. Confined to one thread, except {@link #wakeup}.
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
     * Opens links without connections. The caller closes them.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names it
     */
    public static BrokerLinks open(LeanSettings settings) {
        Objects.requireNonNull(settings, "settings");
        try {
            return new BrokerLinks(settings, Transports.of(settings.properties(), settings.receiveBufferBytes()));
        } catch (IOException e) {
            throw new LeanException("the system gives no selector: " + e.getMessage(), e);
        }
    }

    /**
     * Makes a link to the first of several addresses that answers; it connects on the first attempt to send.
     *
     * @param name for messages
     * @param addresses read before each attempt, may be unresolved; each attempt tries the next one
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
     * Does all work that does not block, and calls listeners; returns the amount of work.
     *
     * @throws LeanException if a broker does not accept this client, or does not speak Kafka's protocol
     */
    public int poll(long nowNanos) {
        int work = 0;
        for (int i = 0; i < links.size(); i++) {
            work += links.get(i).poll(nowNanos);
        }
        links.removeIf(BrokerLink::isDropped);
        return work;
    }

    /** Waits until a link has something to do, a {@link #wakeup}, or the timeout; 0 does not wait. */
    public void await(long millis) {
        try {
            transports.await(millis);
        } catch (IOException e) {
            throw new LeanException("waiting for brokers: " + e.getMessage(), e);
        }
    }

    /** Ends the current {@link #await}, or the next one. Thread-safe. */
    public void wakeup() {
        transports.wakeup();
    }

    /** The clock for these links' waits, as {@link System#nanoTime}. Thread-safe. */
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

    /** A random source for the caller's choices. */
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
