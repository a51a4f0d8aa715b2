package dev.weir.drivers.asimov;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The main class of the process that runs the Asimov drivers. */
public final class AsimovDrivers {

    private AsimovDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        Map<String, Supplier<Driver>> drivers = new TreeMap<>();
        for (Shape shape : Shape.values()) {
            drivers.put("asimov-" + shape.name().toLowerCase(Locale.ROOT), () -> new AsimovDriver(shape));
        }
        drivers.put("asimov-events", AsimovEvents::new);
        DriverMain.serve(drivers, arguments);
    }
}
