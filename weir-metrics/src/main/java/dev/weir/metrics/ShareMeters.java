package dev.weir.metrics;

import static dev.weir.metrics.MeterSpec.counter;
import static dev.weir.metrics.MeterSpec.gauge;

import dev.weir.kafka.ShareHandle.Snapshot;
import java.util.List;

/** The meters of a share group member. Stateless. */
final class ShareMeters {

    static final List<MeterSpec<Snapshot>> MEMBER = List.of(
            counter(
                    "weir.share.accepted",
                    "records",
                    "Accepted records whose acceptance the brokers confirmed.",
                    Snapshot::accepted),
            counter(
                    "weir.share.released",
                    "records",
                    "Records released for another delivery, as confirmed by the brokers.",
                    Snapshot::released),
            counter(
                    "weir.share.rejected",
                    "records",
                    "Records rejected, and never delivered again, as confirmed by the brokers.",
                    Snapshot::rejected),
            counter(
                    "weir.share.renewed",
                    "times",
                    "Locks that were renewed while a handler worked.",
                    Snapshot::renewed),
            counter(
                    "weir.share.redelivered",
                    "records",
                    "Records received with a delivery count of more than 1.",
                    Snapshot::redelivered),
            counter(
                    "weir.share.lock.expired",
                    "records",
                    "Records whose lock ended before their work, or was lost with its broker.",
                    Snapshot::lockExpired),
            counter(
                    "weir.share.acknowledgements.failed",
                    "records",
                    "Records whose acknowledgement the brokers refused, and which are therefore redelivered.",
                    Snapshot::failedAcknowledgements),
            counter(
                    "weir.share.parked",
                    "records",
                    "Copies made before one of a record's last two deliveries began.",
                    Snapshot::parked),
            counter(
                    "weir.share.answers.emptied",
                    "fetches",
                    "Fetches whose records the brokers acquired for the member and then did not send, because of a quota; lean path only.",
                    Snapshot::emptiedAnswers),
            gauge(
                    "weir.share.lag.records",
                    "records",
                    "Records not yet delivered to any member of the group; no value while unknown.",
                    member -> member.lag() < 0 ? Double.NaN : member.lag()),
            gauge("weir.share.lanes", "lanes", "Share consumers that the member has.", Snapshot::lanes));

    private ShareMeters() {}
}
