package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.Transports;
import dev.weir.lean.internal.wire.FetchRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Objects shared by a consumer's brokers, metadata and partitions. Confined to one thread. */
record ConsumerContext(
        LeanSettings settings,
        List<BrokerAddress> bootstrap,
        Transports transports,
        String clientId,
        FetchRequest fetchRequest,
        ConsumerCounters counters,
        SplittableRandom random) {

    static ConsumerContext of(LeanSettings settings) throws IOException {
        String clientId = settings.properties().getOrDefault(CommonClientConfigs.CLIENT_ID_CONFIG, "weir-lean");
        String rack = settings.properties().getOrDefault(ConsumerConfig.CLIENT_RACK_CONFIG, "");
        List<BrokerAddress> bootstrap = BrokerAddress.bootstrap(settings.properties());
        FetchRequest fetchRequest = new FetchRequest(settings, clientId, rack);
        ConsumerCounters counters = new ConsumerCounters();
        Transports transports = Transports.of(settings.properties(), settings.receiveBufferBytes());
        return new ConsumerContext(
                settings, bootstrap, transports, clientId, fetchRequest, counters, transports.newRandom());
    }

    RetryBackoff newBackoff() {
        return new RetryBackoff(settings.maxBackoff().toNanos(), random);
    }

    ConnectionBuffers newBuffers() {
        return new ConnectionBuffers(settings.maxResponseBytes());
    }

    /** @param address unresolved if the broker's host name is unknown */
    BrokerConnection connect(
            InetSocketAddress address, ConnectionBuffers buffers, long nowNanos, BrokerConnection.Listener listener)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IOException("no address for " + address.getHostString());
        }
        return new BrokerConnection(
                transports,
                address,
                clientId,
                buffers,
                settings.requestTimeout().toNanos(),
                nowNanos,
                listener);
    }
}
