/** The stream engine: batches, stages, boundaries, acknowledgements. Independent of Kafka. */
module dev.weir.stream {
    requires jdk.jfr;
    requires static transitive org.jspecify;

    exports dev.weir.stream;
    exports dev.weir.stream.control;
    exports dev.weir.stream.spi;
    exports dev.weir.stream.testing;

    uses dev.weir.stream.spi.ElementDescriber;
}
