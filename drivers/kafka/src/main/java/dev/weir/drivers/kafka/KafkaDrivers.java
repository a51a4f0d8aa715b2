package dev.weir.drivers.kafka;

import dev.weir.driver.DriverMain;
import java.util.Map;

/** The process of the official client's drivers. */
public final class KafkaDrivers {

    private KafkaDrivers() {}

    /** Serves the driver that the one argument names. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "plain", () -> new PlainDriver(Map.of()),
                        "plain-kip848", () -> new PlainDriver(Map.of("group.protocol", "consumer")),
                        "plain-tuned",
                                () -> new PlainDriver(Map.of(
                                        "max.poll.records", "5000",
                                        "max.partition.fetch.bytes", Integer.toString(8 << 20),
                                        "receive.buffer.bytes", Integer.toString(1 << 20))),
                        "plain-unacknowledged",
                                () -> new PlainProducer(Map.of("acks", "0", "enable.idempotence", "false")),
                        "bare", BareDriver::new),
                arguments);
    }
}
