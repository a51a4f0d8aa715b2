package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Map;
import java.util.Objects;

/** Creates the loop of a sink of encoded records, with a lean producer that is closed when the run ends. */
public final class EncodedSink implements SinkFactory<EncodedRecords> {

    private final ProducerSettings<?, ?> settings;

    public EncodedSink(ProducerSettings<?, ?> settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
    }

    @Override
    public SinkLoop<EncodedRecords> create(StageContext context) {
        Map<String, Object> config = settings.clientConfig();
        ClientProgress progress = ClientProgress.of(config);
        EncodedLoop loop = new EncodedLoop(config, progress, context, OutputTopics.create(config, context));
        ClientWatch.begin(config, progress, context, loop::look);
        context.exposeResource(loop.handle());
        ProducerRunLog.follow(settings.produce(), context, loop::close);
        return loop;
    }
}
