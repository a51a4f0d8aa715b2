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
                    "1 if records are being finished or there are none to finish, otherwise 0.",
                    member -> member.health.progressing()),
            counter(
                    "weir.share.accepted",
                    "records",
                    "Records accepted, as confirmed by the brokers.",
                    member -> member.snapshot.accepted()),
            counter(
                    "weir.share.released",
                    "records",
                    "Records released for another delivery, as confirmed by the brokers.",
                    member -> member.snapshot.released()),
            counter(
                    "weir.share.rejected",
                    "records",
                    "Records rejected, so that they are never delivered again, as confirmed by the brokers.",
                    member -> member.snapshot.rejected()),
            counter(
                    "weir.share.renewed",
                    "times",
                    "Renewals of acquisition locks of records that a handler was still processing.",
                    member -> member.snapshot.renewed()),
            counter(
                    "weir.share.redelivered",
                    "records",
                    "Records received with a delivery count of more than 1.",
                    member -> member.snapshot.redelivered()),
            counter(
                    "weir.share.lock.expired",
                    "records",
                    "Records whose acquisition lock expired before they were finished, or was lost with its broker.",
                    member -> member.snapshot.lockExpired()),
            counter(
                    "weir.share.acknowledgements.failed",
                    "records",
                    "Records that are redelivered because the brokers refused their acknowledgement.",
                    member -> member.snapshot.failedAcknowledgements()),
            counter(
                    "weir.share.parked",
                    "records",
                    "Records copied to the parking topic, before one of their last two deliveries.",
                    member -> member.snapshot.parked()),
            counter(
                    "weir.share.answers.emptied",
                    "fetches",
                    "Fetches that returned no records because of a quota, although brokers may have locked records for them; lean path only.",
                    member -> member.snapshot.emptiedAnswers()),
            gauge(
                    "weir.share.lag.records",
                    "records",
                    "Records not yet delivered to any member of the group; no value while unknown.",
                    member -> member.snapshot.lag() < 0 ? Double.NaN : member.snapshot.lag()),
            gauge(
                    "weir.share.lanes",
                    "lanes",
                    "Number of the member's share consumers.",
                    member -> member.snapshot.lanes()));

    private ShareMeters() {}
}
