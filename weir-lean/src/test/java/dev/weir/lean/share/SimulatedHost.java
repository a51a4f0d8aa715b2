package dev.weir.lean.share;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import dev.weir.lean.spi.MessageLinks;
import dev.weir.simulation.Network.ClientProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/** A member's process in simulated time: connections, clock and work. Confined to the test's thread. */
final class SimulatedHost implements BrokerNetwork {

    final String member;
    final ClientProcess process;
    final SimulatedWork work;
    final MessageLinks wires;
    private final SimulatedGroup group;

    SimulatedHost(String member, SimulatedGroup group, SimulatedWork work) {
        this.member = member;
        this.group = group;
        this.work = work;
        this.process = group.brokers.network().process(member);
        String address = group.brokers.network().host() + "/" + member;
        BrokerNetworks.put(address, this);
        try {
            this.wires = new MessageLinks(
                    LeanSettings.builder().bootstrapServers(address).build());
        } finally {
            BrokerNetworks.remove(address);
        }
    }

    long turn() {
        work.at(group.now());
        process.tellReady();
        while (wires.poll(group.now()) > 0) {
            work.at(group.now());
        }
        return work.turn(group.now());
    }

    @Override
    public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
        return process.connect(address, whenReady);
    }

    @Override
    public void await(long millis) {
        throw new AssertionError("the test gives turns");
    }

    @Override
    public void wakeup() {}

    @Override
    public long nanoTime() {
        return group.now();
    }

    @Override
    public long nextSeed() {
        return group.random.nextLong();
    }
}
