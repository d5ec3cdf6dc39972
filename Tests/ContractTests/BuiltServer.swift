import Testing

/// Tests of the built binary, one after another so that each has the machine for itself.
@Suite(.serialized) struct `The built server` {}
