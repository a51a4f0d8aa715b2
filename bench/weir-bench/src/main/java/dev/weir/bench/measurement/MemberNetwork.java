package dev.weir.bench.measurement;

import dev.weir.bench.process.NetworkProcess;
import dev.weir.driver.NetworkFault;
import dev.weir.testkit.FaultProxy;
import java.time.Duration;

/** The network between a group member and the brokers, which can be made to fail. Confined to one thread. */
interface MemberNetwork extends AutoCloseable {

    /** The broker addresses that the member uses. */
    String bootstrapServers();

    /** Applies a fault, which lasts until another fault or {@link NetworkFault#NONE} is applied. */
    void befall(NetworkFault fault) throws InterruptedException;

    /**
     * Throws if the network no longer exists, whether or not a fault is active.
     *
     * @throws dev.weir.bench.RunFailure if the network is gone
     */
    void requireUp() throws InterruptedException;

    @Override
    void close();

    /** Creates the network of a member on this machine, as a proxy in this process. */
    static MemberNetwork here(String brokers) {
        FaultProxy proxy = FaultProxy.to(brokers);
        return new MemberNetwork() {
            @Override
            public String bootstrapServers() {
                return proxy.bootstrapServers();
            }

            @Override
            public void befall(NetworkFault fault) {
                switch (fault.kind()) {
                    case NONE -> proxy.restore();
                    case CUT -> proxy.cut();
                    case SILENCE -> proxy.halfOpen();
                    case DELAY -> proxy.delay(Duration.ofNanos(fault.delayNanos()));
                }
            }

            @Override
            public void requireUp() {} // The proxy runs in this process.

            @Override
            public void close() {
                proxy.close();
            }
        };
    }

    /** Creates the network of a remote member, from a proxy process on the member's machine. */
    static MemberNetwork there(NetworkProcess proxy) {
        return new MemberNetwork() {
            @Override
            public String bootstrapServers() {
                return proxy.bootstrapServers();
            }

            @Override
            public void befall(NetworkFault fault) throws InterruptedException {
                proxy.befall(fault);
            }

            @Override
            public void requireUp() throws InterruptedException {
                proxy.requireUp();
            }

            @Override
            public void close() {
                proxy.close();
            }
        };
    }
}
