package dev.weir.lean;

import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import dev.weir.simulation.Brokers;
import dev.weir.simulation.Network.ClientProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.util.Random;

/** A process with lean clients, on the clock of a simulated cluster. Confined to the simulation's thread. */
public final class SimulatedProcess implements BrokerNetwork, AutoCloseable {

    /** Time of the process at the start. Negative, as System.nanoTime may be. */
    private static final long ORIGIN_NANOS = -(1L << 60);

    private final Brokers brokers;
    private final Random random;
    private final ClientProcess process;

    public SimulatedProcess(Brokers brokers, Random random, String name) {
        this.brokers = brokers;
        this.random = random;
        this.process = brokers.network().process(name);
        BrokerNetworks.put(bootstrap(), this);
    }

    /** Returns the addresses of the first two brokers. */
    public String bootstrap() {
        String host = brokers.network().host();
        return host + ":1," + host + ":2";
    }

    public ClientProcess process() {
        return process;
    }

    @Override
    public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
        return process.connect(address, whenReady);
    }

    @Override
    public void await(long millis) {
        brokers.schedule().advance(millis * 1_000_000);
        process.tellReady();
    }

    @Override
    public void wakeup() {}

    @Override
    public long nanoTime() {
        return ORIGIN_NANOS + brokers.schedule().now();
    }

    @Override
    public long nextSeed() {
        return random.nextLong();
    }

    @Override
    public void close() {
        BrokerNetworks.remove(bootstrap());
        brokers.close();
    }
}
