package dev.weir.drivers.kafka;

import dev.weir.driver.ClientConfig;
import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The main class of the process that runs the official client's drivers. */
public final class KafkaDrivers {

    private KafkaDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        Map<String, Supplier<Driver>> drivers = new HashMap<>(Map.of(
                "plain", () -> new PlainDriver(Map.of()),
                "plain-kip848", () -> new PlainDriver(Map.of("group.protocol", "consumer")),
                "plain-tuned", () -> new PlainDriver(ClientConfig.LARGE_FETCHES),
                "plain-two-workers", () -> new PlainCopy(Map.of(), 2),
                "plain-unacknowledged", () -> new PlainProducer(Map.of("acks", "0", "enable.idempotence", "false")),
                "bare", () -> new BareDriver(BareConnection.Kind.WALKING),
                "bare-produce", BareProducerDriver::new,
                "generator", Generator::new));
        drivers.put("reader", () -> new PlainDriver(Map.of()));
        drivers.put("plain-blocking", () -> new ParallelLoop(false));
        drivers.put("plain-continuous", () -> new ParallelLoop(true));
        drivers.put("bare-stop-and-wait", () -> new BareDriver(BareConnection.Kind.STOP_AND_WAIT));
        drivers.put("bare-discard", () -> new BareDriver(BareConnection.Kind.DISCARDING));
        drivers.putAll(Map.of(
                "kafka-share", () -> new ShareDriver(Map.of(), false),
                "kafka-share-explicit",
                        () -> new ShareDriver(Map.of(ShareDriver.ACKNOWLEDGEMENT_MODE, "explicit"), false),
                "kafka-share-tuned", () -> new ShareDriver(Map.of(), true),
                "kafka-share-record-limit",
                        () -> new ShareDriver(Map.of(ShareDriver.ACQUIRE_MODE, "record_limit"), true)));
        DriverMain.serve(drivers, arguments);
    }
}
