package dev.weir.checks.integration;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import java.util.concurrent.CountDownLatch;

/** A member of a share group in a process of its own, whose handlers never return: it is there to be killed. */
final class ShareMember {

    private ShareMember() {}

    /**
     * Arguments: brokers, topic, group, dead-letter topic, how many handlers must have begun before it says so,
     * share consumers, fetch path if it is not the client's, name if it has one.
     */
    public static void main(String[] args) throws InterruptedException {
        var builder = ShareSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[2])
                .startAt(Start.EARLIEST)
                .deadLetterTopic(args[3])
                .maxLanes(Integer.parseInt(args[5]))
                .fetch(args.length > 6 ? FetchPath.valueOf(args[6]) : FetchPath.CLIENT);
        var settings = (args.length > 7 ? builder.memberName(args[7]) : builder).build();
        CountDownLatch begun = new CountDownLatch(Integer.parseInt(args[4]));
        CountDownLatch never = new CountDownLatch(1);
        var running = KafkaFlow.shared(settings, args[1])
                .forEach(16, Ordering.unordered(), record -> {
                    begun.countDown();
                    never.await();
                })
                .run();
        begun.await();
        System.out.println("begun");
        running.await();
    }
}
