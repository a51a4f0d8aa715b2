package dev.weir.drivers.lean;

import dev.weir.driver.DriverMain;
import java.util.Map;

/** The main class of the process that runs the lean drivers. */
public final class LeanDrivers {

    private LeanDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "lean", LeanDriver::new,
                        "lean-copy", LeanCopyDriver::new,
                        "lean-produce", LeanProduceDriver::new),
                arguments);
    }
}
