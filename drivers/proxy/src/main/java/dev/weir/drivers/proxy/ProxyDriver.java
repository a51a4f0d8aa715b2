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
 * The network of a library under test: it passes messages between a member and the brokers during its pass, unless a
 * fault is ordered. Confined to the main thread; faults are ordered on another one.
 */
public final class ProxyDriver implements Driver {

    /** Serves the driver that the one argument names. */
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

    /** Applies a fault on the thread that hears commands, which continues to hear them whatever happens here. */
    private static void befall(Pass pass, FaultProxy network, Map<String, String> options) {
        try {
            NetworkFault fault = NetworkFault.of(options);
            switch (fault.kind()) {
                case NONE -> network.restore();
                case CUT -> network.cut();
                case SILENCE -> network.halfOpen();
                case DELAY -> network.delay(Duration.ofNanos(fault.delayNanos()));
            }
        } catch (RuntimeException e) { // The member would stay cut off, or never be, and nobody would know.
            pass.fail(e);
        }
    }
}
