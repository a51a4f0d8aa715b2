package dev.weir.drivers.weir;

import dev.weir.driver.DriverMain;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.produce.ProducePath;
import java.util.Map;

/** The process of Weir's drivers. */
public final class WeirDrivers {

    private WeirDrivers() {}

    /** Serves the driver that the one argument names. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "weir", () -> new WeirDriver(Map.of(), FetchPath.CLIENT),
                        "weir-kip848", () -> new WeirDriver(Map.of("group.protocol", "consumer"), FetchPath.CLIENT),
                        "weir-lean", () -> new WeirDriver(Map.of(), FetchPath.LEAN),
                        "weir-lean-two-threads", () -> new WeirDriver(Map.of(), FetchPath.LEAN, 2),
                        "weir-lean-copy", () -> new WeirCopy(Map.of(), FetchPath.LEAN, 1, ProducePath.LEAN, false),
                        "weir-parallel", () -> new WeirCopy(Map.of(), FetchPath.CLIENT, 1, ProducePath.CLIENT, true),
                        "weir-share", () -> new WeirShareDriver(FetchPath.CLIENT),
                        "weir-share-lean", () -> new WeirShareDriver(FetchPath.LEAN)),
                arguments);
    }
}
