package dev.weir.console.internal.profile;

/** A stage, identified by the names of its pipeline and itself. Immutable. */
record StageRef(String pipeline, String stage) {}
