package dev.weir.metrics;

import static dev.weir.metrics.MeterSpec.counter;
import static dev.weir.metrics.MeterSpec.flag;
import static dev.weir.metrics.MeterSpec.gauge;

import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle.Snapshot;
import java.util.List;

/** The meters of a share group member. Stateless. */
final class ShareMeters {

    /** A reading of a member. */
    record MemberLook(Snapshot snapshot, ConsumerHealth health) {}

    static final List<MeterSpec<MemberLook>> MEMBER = List.of(
            flag(
                    "weir.share.live",
                    "Whether the member still takes part in its group; if not, only a restart helps.",
                    member -> member.health.live()),
            flag(
                    "weir.share.ready",
                    "Whether the group has assigned partitions to the member.",
                    member -> member.health.ready()),
            flag(
                    "weir.share.progressing",
                    "1 if records get finished or none are waiting, otherwise 0.",
                    member -> member.health.progressing()),
            counter(
                    "weir.share.accepted",
                    "records",
                    "Accepted records whose acceptance the brokers confirmed.",
                    member -> member.snapshot.accepted()),
            counter(
                    "weir.share.released",
                    "records",
                    "Records released for another delivery, as confirmed by the brokers.",
                    member -> member.snapshot.released()),
            counter(
                    "weir.share.rejected",
                    "records",
                    "Records rejected, and never delivered again, as confirmed by the brokers.",
                    member -> member.snapshot.rejected()),
            counter(
                    "weir.share.renewed",
                    "times",
                    "Locks that were renewed while a handler worked.",
                    member -> member.snapshot.renewed()),
            counter(
                    "weir.share.redelivered",
                    "records",
                    "Records received with a delivery count of more than 1.",
                    member -> member.snapshot.redelivered()),
            counter(
                    "weir.share.lock.expired",
                    "records",
                    "Records whose lock ended before their work, or was lost with its broker.",
                    member -> member.snapshot.lockExpired()),
            counter(
                    "weir.share.acknowledgements.failed",
                    "records",
                    "Records whose acknowledgement the brokers refused, and which are therefore redelivered.",
                    member -> member.snapshot.failedAcknowledgements()),
            counter(
                    "weir.share.parked",
                    "records",
                    "Copies made before one of a record's last two deliveries began.",
                    member -> member.snapshot.parked()),
            counter(
                    "weir.share.answers.emptied",
                    "fetches",
                    "Fetches whose records the brokers acquired for the member and then did not send, because of a quota; lean path only.",
                    member -> member.snapshot.emptiedAnswers()),
            gauge(
                    "weir.share.lag.records",
                    "records",
                    "Records not yet delivered to any member of the group; no value while unknown.",
                    member -> member.snapshot.lag() < 0 ? Double.NaN : member.snapshot.lag()),
            gauge(
                    "weir.share.lanes",
                    "lanes",
                    "Share consumers that the member has.",
                    member -> member.snapshot.lanes()));

    private ShareMeters() {}
}
