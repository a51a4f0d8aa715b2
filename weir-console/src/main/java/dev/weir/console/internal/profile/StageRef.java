package dev.weir.console.internal.profile;

/** A stage of a pipeline, by their names. Immutable. */
record StageRef(String pipeline, String stage) {}
