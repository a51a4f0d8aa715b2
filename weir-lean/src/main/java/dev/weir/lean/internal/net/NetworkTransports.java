package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;

/** Opens simulated connections, which need no handshake. Confined to one thread, except {@link #wakeup}. */
final class NetworkTransports implements Transports {

    private final BrokerNetwork network;

    NetworkTransports(BrokerNetwork network) {
        this.network = network;
    }

    @Override
    public Transport open(InetSocketAddress address, Runnable whenReady) throws IOException {
        return new PlainTransport(network.connect(address, whenReady), null);
    }

    @Override
    public void await(long millis) {
        network.await(millis);
    }

    @Override
    public void wakeup() {
        network.wakeup();
    }

    @Override
    public long nanoTime() {
        return network.nanoTime();
    }

    @Override
    public SplittableRandom newRandom() {
        return new SplittableRandom(network.nextSeed());
    }

    @Override
    public void close() {}
}
