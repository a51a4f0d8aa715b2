package dev.weir.drivers.parallelconsumer;

import dev.weir.driver.DriverMain;
import java.util.Map;

/** The process of the Parallel Consumer driver. */
public final class ParallelConsumerDrivers {

    private ParallelConsumerDrivers() {}

    /** Serves the driver that the only argument names. */
    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("parallel-consumer", ParallelConsumerDriver::new), arguments);
    }
}
