package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.ProducePath;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The process of Weir's drivers. */
public final class WeirDrivers {

    /** The client's defaults of settings that Weir overrides for its consumers. */
    private static final Map<String, String> CLIENT_DEFAULTS = Map.of(
            "max.poll.records", "500",
            "max.partition.fetch.bytes", Integer.toString(1 << 20),
            "fetch.max.bytes", Integer.toString(50 << 20),
            "receive.buffer.bytes", Integer.toString(64 << 10));

    private WeirDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        Map<String, Supplier<Driver>> drivers = new HashMap<>(Map.of(
                "weir", () -> new WeirDriver(Map.of(), FetchPath.CLIENT),
                "weir-kip848", () -> new WeirDriver(Map.of("group.protocol", "consumer"), FetchPath.CLIENT),
                "weir-lean", () -> new WeirDriver(Map.of(), FetchPath.LEAN),
                "weir-lean-two-threads", () -> new WeirDriver(Map.of(), FetchPath.LEAN, 2),
                "weir-lean-copy", () -> new WeirCopy(Map.of(), FetchPath.LEAN, 1, ProducePath.LEAN, false),
                "weir-parallel", () -> new WeirCopy(Map.of(), FetchPath.CLIENT, 1, ProducePath.CLIENT, true),
                "weir-share", () -> new WeirShareDriver(FetchPath.CLIENT),
                "weir-share-lean", () -> new WeirShareDriver(FetchPath.LEAN)));
        drivers.put("weir-lean-records", () -> new WeirDriver(Map.of(), FetchPath.LEAN, 1, true));
        drivers.put("weir-untuned", () -> new WeirDriver(CLIENT_DEFAULTS, FetchPath.CLIENT));
        drivers.put("weir-views-copy", () -> new WeirViewsCopy(0));
        drivers.put("weir-views-copy-parallel", () -> new WeirViewsCopy(2));
        DriverMain.serve(drivers, arguments);
    }
}
