package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.net.Connection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.Transports;
import dev.weir.lean.internal.wire.FetchRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** The state that brokers, metadata and partitions of one consumer share. Confined to one thread. */
record Context(
        LeanSettings settings,
        Transports transports,
        String clientId,
        FetchRequest fetchRequest,
        Counters counters,
        SplittableRandom random) {

    static Context of(LeanSettings settings) throws IOException {
        String clientId = settings.properties().getOrDefault(CommonClientConfigs.CLIENT_ID_CONFIG, "weir-lean");
        String rack = settings.properties().getOrDefault(ConsumerConfig.CLIENT_RACK_CONFIG, "");
        Transports transports = Transports.of(settings.properties(), settings.receiveBufferBytes());
        return new Context(
                settings,
                transports,
                clientId,
                new FetchRequest(settings, clientId, rack),
                new Counters(),
                transports.newRandom());
    }

    Backoff newBackoff() {
        return new Backoff(settings.maxBackoff().toNanos(), random);
    }

    ConnectionBuffers newBuffers() {
        return new ConnectionBuffers(settings.maxResponseBytes());
    }

    /** @param wanted looked up now if it was not */
    Connection connect(InetSocketAddress wanted, ConnectionBuffers buffers, long nowNanos, Connection.Listener listener)
            throws IOException {
        InetSocketAddress address =
                wanted.isUnresolved() ? new InetSocketAddress(wanted.getHostString(), wanted.getPort()) : wanted;
        if (address.isUnresolved()) {
            throw new IOException("no address for " + address.getHostString());
        }
        return new Connection(
                transports,
                address,
                clientId,
                buffers,
                settings.requestTimeout().toNanos(),
                nowNanos,
                listener);
    }
}
