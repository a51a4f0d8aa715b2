package dev.weir.drivers.pekko;

import dev.weir.driver.ClientConfig;
import dev.weir.driver.DriverMain;
import java.util.Map;

/** The main class of the process that runs the Pekko driver. */
public final class PekkoDrivers {

    private PekkoDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "pekko",
                        () -> new PekkoDriver(Map.of(), true),
                        "pekko-own-batch",
                        () -> new PekkoDriver(Map.of(), false),
                        "pekko-tuned",
                        () -> new PekkoDriver(ClientConfig.LARGE_FETCHES, true)),
                arguments);
    }
}
