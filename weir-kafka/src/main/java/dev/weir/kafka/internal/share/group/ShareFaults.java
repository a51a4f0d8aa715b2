package dev.weir.kafka.internal.share.group;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.stream.spi.Thrown;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Explains the errors of a share group and names their remedies. Stateless. */
public final class ShareFaults {

    private ShareFaults() {}

    /** Returns an exception whose message explains the error and names a remedy. */
    public static KafkaPipelineException explained(KafkaException fault) {
        String wayOut = switch (fault) {
            case GroupAuthorizationException denied ->
                "share group " + denied.groupId() + " may not be read: grant READ on the group";
            case TopicAuthorizationException denied ->
                "topics " + denied.unauthorizedTopics() + " may not be read: grant READ on them";
            case GroupMaxSizeReachedException full ->
                "the share group accepts no more members: raise group.share.max.size of the brokers, or, on"
                        + " the client's path, allow fewer share consumers (ShareSettings.maxLanes)";
            case UnsupportedVersionException old ->
                "the brokers have no share groups: they need Kafka 4.2 or later with the feature share.version";
            case InconsistentGroupProtocolException other -> "the group is not a share group: choose another group.id";
            case GroupIdNotFoundException other -> "the group is not a share group: choose another group.id";
            default -> "the share group cannot be read";
        };
        return new KafkaPipelineException(wayOut + " (" + Thrown.reason(fault) + ")", fault);
    }
}
