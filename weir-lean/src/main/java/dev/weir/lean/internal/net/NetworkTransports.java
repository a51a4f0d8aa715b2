package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.SplittableRandom;

/** The transports over a simulated network, without a handshake. Confined to one thread but {@link #wakeup}. */
final class NetworkTransports implements Transports {

    private final BrokerNetwork network;

    NetworkTransports(BrokerNetwork network) {
        this.network = network;
    }

    @Override
    public Transport open(InetSocketAddress address, Runnable whenReady) throws IOException {
        return new Bare(network.connect(address, whenReady));
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

    private record Bare(ByteChannel channel) implements Transport {

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return channel.read(to);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return channel.write(from);
        }

        @Override
        public long write(ByteBuffer[] from, int first, int count) throws IOException {
            long written = 0;
            for (int i = first; i < first + count; i++) {
                written += channel.write(from[i]);
                if (from[i].hasRemaining()) {
                    break;
                }
            }
            return written;
        }

        @Override
        public boolean hasPending() {
            return false;
        }

        @Override
        public int writePending() {
            return 1;
        }

        @Override
        public void wantWrite(boolean wanted) {}

        @Override
        public void close() {
            Quietly.close(channel);
        }
    }
}
