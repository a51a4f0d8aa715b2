package dev.weir.drivers.proxy;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.NetworkFault;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.testkit.FaultProxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The network of a library under test. It passes messages between a member and the brokers during the member's pass,
 * unless the harness orders a fault. Confined to the main thread; faults are ordered on another thread.
 */
public final class ProxyDriver implements Driver {

    /** Serves the driver that the only argument names. */
    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("proxy", ProxyDriver::new), arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.STEADY);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        try (FaultProxy network = FaultProxy.to(pass.configuration().bootstrapServers())) {
            pass.isNetwork(network.bootstrapServers(), options -> befall(pass, network, options));
            pass.awaitDone();
        }
    }

    /** Applies a fault on the command thread, which continues to read commands even if the fault cannot be applied. */
    private static void befall(Pass pass, FaultProxy network, Map<String, String> options) {
        try {
            NetworkFault fault = NetworkFault.of(options);
            switch (fault.kind()) {
                case NONE -> network.restore();
                case CUT -> network.cut();
                case SILENCE -> network.halfOpen();
                case DELAY -> network.delay(Duration.ofNanos(fault.delayNanos()));
            }
        } catch (RuntimeException e) {
            // Without a failure, nobody would know that the member stays cut off, or is never cut off.
            pass.fail(e);
        }
    }
}
