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
                    "Records that are done, as the brokers have confirmed.",
                    Snapshot::accepted),
            counter(
                    "weir.share.released",
                    "records",
                    "Records given back for another delivery, as the brokers have confirmed.",
                    Snapshot::released),
            counter(
                    "weir.share.rejected",
                    "records",
                    "Records never to be delivered again, as the brokers have confirmed.",
                    Snapshot::rejected),
            counter(
                    "weir.share.renewed",
                    "times",
                    "Locks that were renewed while a handler worked.",
                    Snapshot::renewed),
            counter(
                    "weir.share.redelivered",
                    "records",
                    "Records that came with a delivery count of more than 1.",
                    Snapshot::redelivered),
            counter(
                    "weir.share.lock.expired",
                    "records",
                    "Records whose lock ended before their work did, or was lost with its broker.",
                    Snapshot::lockExpired),
            counter(
                    "weir.share.acknowledgements.failed",
                    "records",
                    "Records whose acknowledgement the brokers refused: they are delivered again.",
                    Snapshot::failedAcknowledgements),
            counter(
                    "weir.share.parked",
                    "records",
                    "Copies made of records before one of their last two deliveries began.",
                    Snapshot::parked),
            counter(
                    "weir.share.answers.emptied",
                    "fetches",
                    "Fetches whose records the brokers acquired for the member and then did not send, because of a quota; lean path only.",
                    Snapshot::emptiedAnswers),
            gauge(
                    "weir.share.lag.records",
                    "records",
                    "Records of the group that are still to come, over all its members; no value while that is"
                            + " unknown.",
                    member -> member.lag() < 0 ? Double.NaN : member.lag()),
            gauge("weir.share.lanes", "lanes", "Share consumers that the member has.", Snapshot::lanes));

    private ShareMeters() {}
}
