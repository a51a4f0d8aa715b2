package dev.weir.drivers.reactor;

import dev.weir.driver.ClientConfig;
import dev.weir.driver.DriverMain;
import java.util.Map;

/** The main class of the process that runs the Reactor driver. */
public final class ReactorDrivers {

    private ReactorDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "reactor", () -> new ReactorDriver(Map.of()),
                        "reactor-tuned", () -> new ReactorDriver(ClientConfig.LARGE_FETCHES)),
                arguments);
    }
}
