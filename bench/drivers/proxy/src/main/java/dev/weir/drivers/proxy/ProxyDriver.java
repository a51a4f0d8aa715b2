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
 * A proxy between one member of a library under test and the brokers. It forwards all data unless the harness injects a
 * fault. Confined to the main thread; faults are injected on another thread.
 */
public final class ProxyDriver implements Driver {

    /** Serves the driver named in the only argument. */
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

    /** Injects a fault on the command thread. An exception fails the pass; the thread continues to read commands. */
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
            // The pass must fail, because its fault was not injected or not removed.
            pass.fail(e);
        }
    }
}
