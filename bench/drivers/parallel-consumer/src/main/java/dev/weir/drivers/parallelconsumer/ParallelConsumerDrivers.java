package dev.weir.drivers.parallelconsumer;

import dev.weir.driver.DriverMain;
import java.util.Map;

/** The main class of the process that runs the Parallel Consumer driver. */
public final class ParallelConsumerDrivers {

    private ParallelConsumerDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("parallel-consumer", ParallelConsumerDriver::new), arguments);
    }
}
