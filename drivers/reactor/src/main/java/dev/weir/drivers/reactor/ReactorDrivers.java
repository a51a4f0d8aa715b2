package dev.weir.drivers.reactor;

import dev.weir.driver.ClientConfig;
import dev.weir.driver.DriverMain;
import java.util.Map;

/** The process of the Reactor driver. */
public final class ReactorDrivers {

    private ReactorDrivers() {}

    /** Serves the driver that the only argument names. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "reactor", () -> new ReactorDriver(Map.of()),
                        "reactor-tuned", () -> new ReactorDriver(ClientConfig.LARGE_FETCHES)),
                arguments);
    }
}
