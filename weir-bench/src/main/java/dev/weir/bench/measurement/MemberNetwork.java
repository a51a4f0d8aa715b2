package dev.weir.bench.measurement;

import dev.weir.bench.process.NetworkProcess;
import dev.weir.driver.NetworkFault;
import dev.weir.testkit.FaultProxy;
import java.time.Duration;

/** The network between a group member and the brokers, which can be made to fail. Confined to one thread. */
interface MemberNetwork extends AutoCloseable {

    /** Its addresses of the brokers, for the member. */
    String bootstrapServers();

    /** Applies a fault from now on. */
    void befall(NetworkFault fault) throws InterruptedException;

    /**
     * Does nothing while it passes on what it is to.
     *
     * @throws dev.weir.bench.RunFailure if it is gone: what its member does then is no fault of the plan
     */
    void requireUp() throws InterruptedException;

    @Override
    void close();

    /** Network of a member on this machine, in this process. */
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
            public void requireUp() {} // It lives as long as this process.

            @Override
            public void close() {
                proxy.close();
            }
        };
    }

    /** Network of a remote member, in a process beside it. */
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
